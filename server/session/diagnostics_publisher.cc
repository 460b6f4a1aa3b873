#include "server/session/diagnostics_publisher.h"

#include <chrono>
#include <utility>

#include <asio/post.hpp>

#include "server/features/diagnostics.h"

namespace gprof::lsp {
namespace {

// Delay from the first of some edits to the check, so that not every keystroke causes one.
constexpr std::chrono::milliseconds edit_wait{300};

}  // namespace

DiagnosticsPublisher::DiagnosticsPublisher(const asio::any_io_executor& io, Dispatcher& dispatcher,
                                           ProfileService& service,
                                           std::function<DocumentView(const DocumentUri&)> view)
    : io_(io),
      dispatcher_(dispatcher),
      service_(service),
      view_(std::move(view)),
      edit_timer_(io) {}

void DiagnosticsPublisher::set_capabilities(const ClientCapabilities& client) {
  wanted_ = client.publish_diagnostics && !client.pull_diagnostics;
}

void DiagnosticsPublisher::set_enabled(bool enabled) {
  if (!std::exchange(enabled_, enabled) && enabled) refresh();
  if (!enabled) take_back_all();
}

void DiagnosticsPublisher::opened(const DocumentUri& uri) {
  documents_[uri] = {};
  documents_[uri].serial = ++last_serial_;
  check(uri);
}

void DiagnosticsPublisher::edited(const DocumentUri& uri) {
  if (!wanted_ || !enabled_) return;
  const bool waiting = !edited_.empty();
  edited_.insert(uri);
  if (waiting) return;
  edit_timer_.expires_after(edit_wait);
  edit_timer_.async_wait([weak = weak_from_this()](std::error_code cancelled) {
    const auto self = weak.lock();
    if (!cancelled && self) self->flush();
  });
}

void DiagnosticsPublisher::flush() {
  edit_timer_.cancel();
  for (const DocumentUri& edited : std::exchange(edited_, {})) check(edited);
}

void DiagnosticsPublisher::closed(const DocumentUri& uri) {
  edited_.erase(uri);
  if (edited_.empty()) edit_timer_.cancel();
  const auto found = documents_.find(uri);
  if (found == documents_.end()) return;
  if (!found->second.shown.empty()) publish(uri, std::nullopt, {});
  documents_.erase(found);
}

void DiagnosticsPublisher::refresh() {
  for (const auto& [uri, document] : documents_) check(uri);
}

void DiagnosticsPublisher::check(const DocumentUri& uri) {
  if (!wanted_ || !enabled_) return;
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
    asio::post(io, [weak, uri, serial, checked = look(context)]() mutable {
      if (const auto self = weak.lock()) self->take(uri, serial, std::move(checked));
    });
  });
}

// On a worker.
DiagnosticsPublisher::Checked DiagnosticsPublisher::look(FeatureContext& context) {
  Checked checked;
  checked.diagnostics = diagnostics_of(context);
  const auto& document = context.views.document().document;
  if (context.client.diagnostic_versions && document) checked.version = document->version();
  return checked;
}

void DiagnosticsPublisher::take(const DocumentUri& uri, std::uint64_t serial, Checked checked) {
  const auto found = documents_.find(uri);
  if (found == documents_.end() || found->second.serial != serial) return;
  Document& document = found->second;
  document.checking = false;
  if (enabled_ && checked.diagnostics != document.shown) {
    document.shown = std::move(checked.diagnostics);
    publish(uri, checked.version, document.shown);
  }
  if (std::exchange(document.check_again, false)) check(uri);
}

void DiagnosticsPublisher::publish(const DocumentUri& uri, std::optional<std::int32_t> version,
                                   const std::vector<Diagnostic>& diagnostics) {
  dispatcher_.notify("textDocument/publishDiagnostics",
                     PublishDiagnosticsParams{uri, version, diagnostics});
}

void DiagnosticsPublisher::take_back_all() {
  for (auto& [uri, document] : documents_) {
    if (document.shown.empty()) continue;
    document.shown.clear();
    publish(uri, std::nullopt, {});
  }
}

}  // namespace gprof::lsp
