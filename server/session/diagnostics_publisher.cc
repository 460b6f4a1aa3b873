#include "server/session/diagnostics_publisher.h"

#include <chrono>
#include <map>
#include <set>
#include <utility>

#include <asio/post.hpp>
#include <asio/steady_timer.hpp>

#include "server/features/diagnostics.h"

namespace gprof::lsp {
namespace {

// Delay from the first of some edits to the check, so that not every keystroke causes one.
constexpr std::chrono::milliseconds edit_wait{300};

struct SourceReport {
  std::vector<Diagnostic> diagnostics;
  std::optional<std::int32_t> version;
};

// On a worker.
SourceReport look(FeatureContext& context) {
  SourceReport report;
  if (!context.settings.diagnostics) return report;
  const auto view = context.views.of_document();
  if (!view) return report;
  report.diagnostics = diagnostics_of(*view);
  if (context.client.diagnostic_versions) report.version = view->text->version();
  return report;
}

}  // namespace

class DiagnosticsPublisher::State : public std::enable_shared_from_this<State> {
 public:
  State(const asio::any_io_executor& io, Dispatcher& dispatcher, ProfileService& service,
        std::function<DocumentView(const DocumentUri&)> view)
      : io_(io),
        dispatcher_(dispatcher),
        service_(service),
        view_(std::move(view)),
        edit_timer_(io) {}

  void open(const DocumentUri& uri) {
    documents_[uri] = {};
    documents_[uri].serial = ++last_serial_;
    check(uri);
  }
  void edit(const DocumentUri& uri);
  void check(const DocumentUri& uri);
  void check_all();
  void close(const DocumentUri& uri);
  void take_back_all();
  // Nothing more is reported.
  void end() { edit_timer_.cancel(); }

  bool wanted = false;  // by the client's capabilities
  bool enabled = false;

 private:
  struct Document {
    std::uint64_t serial = 0;  // distinguishes a document from an earlier one with its name
    bool checking = false;
    bool check_again = false;
    std::vector<Diagnostic> shown;
  };

  void take(const DocumentUri& uri, std::uint64_t serial, SourceReport report);
  void publish(const DocumentUri& uri, std::optional<std::int32_t> version,
               const std::vector<Diagnostic>& diagnostics) {
    dispatcher_.notify("textDocument/publishDiagnostics",
                       PublishDiagnosticsParams{uri, version, diagnostics});
  }

  asio::any_io_executor io_;
  Dispatcher& dispatcher_;
  ProfileService& service_;
  std::function<DocumentView(const DocumentUri&)> view_;
  asio::steady_timer edit_timer_;
  std::set<DocumentUri> edited_;  // the timer runs while there are any
  std::map<DocumentUri, Document> documents_;
  std::uint64_t last_serial_ = 0;
};

void DiagnosticsPublisher::State::edit(const DocumentUri& uri) {
  if (!wanted || !enabled) return;
  const bool waiting = !edited_.empty();
  edited_.insert(uri);
  if (waiting) return;
  edit_timer_.expires_after(edit_wait);
  edit_timer_.async_wait([weak = weak_from_this()](std::error_code cancelled) {
    const auto self = weak.lock();
    if (cancelled || !self) return;
    for (const DocumentUri& edited : std::exchange(self->edited_, {})) self->check(edited);
  });
}

void DiagnosticsPublisher::State::check(const DocumentUri& uri) {
  if (!wanted || !enabled) return;
  const auto found = documents_.find(uri);
  if (found == documents_.end()) return;
  Document& document = found->second;
  if (document.checking) {
    document.check_again = true;
    return;
  }
  document.checking = true;
  service_.run(view_(uri), [weak = weak_from_this(), io = io_, uri,
                            serial = document.serial](FeatureContext& context) {
    asio::post(io, [weak, uri, serial, report = look(context)]() mutable {
      if (const auto self = weak.lock()) self->take(uri, serial, std::move(report));
    });
  });
}

void DiagnosticsPublisher::State::check_all() {
  for (const auto& [uri, document] : documents_) check(uri);
}

void DiagnosticsPublisher::State::take(const DocumentUri& uri, std::uint64_t serial,
                                       SourceReport report) {
  const auto found = documents_.find(uri);
  if (found == documents_.end() || found->second.serial != serial) return;
  Document& document = found->second;
  document.checking = false;
  if (enabled && report.diagnostics != document.shown) {
    document.shown = std::move(report.diagnostics);
    publish(uri, report.version, document.shown);
  }
  if (std::exchange(document.check_again, false)) check(uri);
}

void DiagnosticsPublisher::State::close(const DocumentUri& uri) {
  edited_.erase(uri);
  if (edited_.empty()) edit_timer_.cancel();
  const auto found = documents_.find(uri);
  if (found == documents_.end()) return;
  if (!found->second.shown.empty()) publish(uri, std::nullopt, {});
  documents_.erase(found);
}

void DiagnosticsPublisher::State::take_back_all() {
  for (auto& [uri, document] : documents_) {
    if (document.shown.empty()) continue;
    document.shown.clear();
    publish(uri, std::nullopt, {});
  }
}

DiagnosticsPublisher::DiagnosticsPublisher(const asio::any_io_executor& io, Dispatcher& dispatcher,
                                           ProfileService& service,
                                           std::function<DocumentView(const DocumentUri&)> view)
    : state_(std::make_shared<State>(io, dispatcher, service, std::move(view))) {}

DiagnosticsPublisher::~DiagnosticsPublisher() { state_->end(); }

void DiagnosticsPublisher::set_capabilities(const ClientCapabilities& client) {
  state_->wanted = client.publish_diagnostics && !client.pull_diagnostics;
}

void DiagnosticsPublisher::set_enabled(bool enabled) {
  if (!std::exchange(state_->enabled, enabled) && enabled) state_->check_all();
  if (!enabled) state_->take_back_all();
}

void DiagnosticsPublisher::opened(const DocumentUri& uri) { state_->open(uri); }
void DiagnosticsPublisher::edited(const DocumentUri& uri) { state_->edit(uri); }
void DiagnosticsPublisher::saved(const DocumentUri& uri) { state_->check(uri); }
void DiagnosticsPublisher::closed(const DocumentUri& uri) { state_->close(uri); }
void DiagnosticsPublisher::refresh() { state_->check_all(); }

}  // namespace gprof::lsp
