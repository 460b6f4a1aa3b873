#include "server/session/client_events.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include <asio/post.hpp>
#include <fmt/format.h>

namespace gprof::lsp {
namespace {

Severity severity_of(LogLevel level) {
  switch (level) {
    case LogLevel::error:
      return Severity::error;
    case LogLevel::warning:
      return Severity::warning;
    case LogLevel::info:
      return Severity::info;
    case LogLevel::off:
    case LogLevel::debug:
      break;
  }
  return Severity::log;
}

std::string token(ProgressId id) { return fmt::format("gprof-lsp/{}", id); }

constexpr const char* watch_method = "workspace/didChangeWatchedFiles";

}  // namespace

// Always held by shared_ptr, as the client's answers may arrive after it is gone.
class ClientEvents::Client : public std::enable_shared_from_this<Client> {
 public:
  explicit Client(std::shared_ptr<Dispatcher> dispatcher) : dispatcher_(std::move(dispatcher)) {}

  void begin(ProgressId id, std::string title, std::function<void()> cancel);
  void cancel(const std::string& token);
  void report(ProgressId id, std::uint32_t percent, std::string message);
  void end(ProgressId id, std::string message);
  void show(Severity severity, std::string text) {
    dispatcher_->notify("window/showMessage", ShowMessageParams{severity, std::move(text)});
  }
  void ask(const ShowMessageRequestParams& question,
           std::function<void(std::optional<std::string>)> chosen);
  void log(LogLevel level, std::string text);
  void refresh_all() {
    for (const auto& listener : refresh_listeners) listener();
    refresh();
  }
  void refresh_document(DocumentUri uri);
  void status(const ProfileStatus& status);
  void show_document(DocumentUri uri, std::optional<Range> selection);
  void watch_files(std::vector<WatchedPattern> patterns);

  ClientCapabilities capabilities;
  std::vector<std::function<void()>> refresh_listeners;
  LogLevel log_level = LogLevel::warning;

 private:
  // The client must accept a progress token before it is used.
  struct Progress {
    std::string title;
    std::function<void()> cancel;  // null if it cannot be cancelled
    bool created = false;
    bool ended = false;
    std::uint32_t percent = 0;
    std::string message;
  };

  void refresh();
  void progress_created(ProgressId id, bool agreed);
  template <typename Value>
  void tell(ProgressId id, Value value) {
    dispatcher_->notify("$/progress", ProgressParams<Value>{token(id), std::move(value)});
  }
  void send_refresh(const char* method);

  std::shared_ptr<Dispatcher> dispatcher_;
  std::map<ProgressId, Progress> progress_;
  std::size_t open_refreshes_ = 0;
  bool refresh_again_ = false;
  std::string watch_id_;
  std::uint64_t last_watch_ = 0;
};

void ClientEvents::Client::begin(ProgressId id, std::string title, std::function<void()> cancel) {
  if (!capabilities.work_done_progress) return;
  progress_[id].title = std::move(title);
  progress_[id].cancel = std::move(cancel);
  dispatcher_->request<Nothing>("window/workDoneProgress/create",
                                WorkDoneProgressCreateParams{token(id)},
                                [weak = weak_from_this(), id](const Outcome<Nothing>& answer) {
                                  if (const auto self = weak.lock())
                                    self->progress_created(id, answer.index() == 0);
                                });
}

void ClientEvents::Client::progress_created(ProgressId id, bool agreed) {
  const auto found = progress_.find(id);
  if (found == progress_.end()) return;
  Progress& progress = found->second;
  if (!agreed) {
    progress_.erase(found);
    return;
  }
  progress.created = true;
  tell(id, WorkDoneProgressBegin{progress.title, progress.cancel != nullptr, progress.percent});
  if (progress.ended) {
    tell(id, WorkDoneProgressEnd{progress.message});
    progress_.erase(found);
  } else if (!progress.message.empty()) {
    tell(id, WorkDoneProgressReport{progress.percent, progress.message});
  }
}

void ClientEvents::Client::report(ProgressId id, std::uint32_t percent, std::string message) {
  const auto found = progress_.find(id);
  if (found == progress_.end() || found->second.ended) return;
  Progress& progress = found->second;
  // The protocol requires percentages that never fall.
  percent = std::max(std::min(percent, std::uint32_t{100}), progress.percent);
  if (percent == progress.percent && message == progress.message) return;
  progress.percent = percent;
  progress.message = message;
  if (progress.created) tell(id, WorkDoneProgressReport{percent, std::move(message)});
}

void ClientEvents::Client::end(ProgressId id, std::string message) {
  const auto found = progress_.find(id);
  if (found == progress_.end()) return;
  if (!found->second.created) {
    found->second.ended = true;
    found->second.message = std::move(message);
    return;
  }
  tell(id, WorkDoneProgressEnd{std::move(message)});
  progress_.erase(found);
}

void ClientEvents::Client::cancel(const std::string& token) {
  for (auto& [id, progress] : progress_) {
    if (lsp::token(id) != token || progress.ended || !progress.cancel) continue;
    // A copy: the callback may end the progress.
    const auto cancel = progress.cancel;
    return cancel();
  }
}

void ClientEvents::Client::ask(const ShowMessageRequestParams& question,
                               std::function<void(std::optional<std::string>)> chosen) {
  if (!capabilities.show_message_request) return chosen(std::nullopt);
  dispatcher_->request<ShowMessageChoice>(
      "window/showMessageRequest", question,
      [chosen = std::move(chosen)](const Outcome<ShowMessageChoice>& answer) {
        const auto* choice = std::get_if<ShowMessageChoice>(&answer);
        chosen(choice ? choice->title : std::nullopt);
      });
}

void ClientEvents::Client::log(LogLevel level, std::string text) {
  if (level == LogLevel::off || level > log_level) return;
  dispatcher_->notify("window/logMessage", LogMessageParams{severity_of(level), std::move(text)});
}

// While a refresh is unanswered, further ones are merged into one.
void ClientEvents::Client::refresh() {
  if (open_refreshes_ > 0) {
    refresh_again_ = true;
    return;
  }
  refresh_again_ = false;
  if (capabilities.code_lens_refresh) send_refresh("workspace/codeLens/refresh");
  if (capabilities.inlay_hint_refresh) send_refresh("workspace/inlayHint/refresh");
  if (capabilities.diagnostic_refresh) send_refresh("workspace/diagnostic/refresh");
}

void ClientEvents::Client::refresh_document(DocumentUri uri) {
  if (!capabilities.text_document_content) return;
  dispatcher_->request<Nothing>("workspace/textDocumentContent/refresh",
                                TextDocumentContentRefreshParams{std::move(uri)},
                                [](const Outcome<Nothing>&) {});
}

void ClientEvents::Client::status(const ProfileStatus& status) {
  if (capabilities.gprof_extensions) dispatcher_->notify("gprof/status", status);
}

void ClientEvents::Client::send_refresh(const char* method) {
  ++open_refreshes_;
  dispatcher_->request<Nothing>(method, Nothing{},
                                [weak = weak_from_this()](const Outcome<Nothing>&) {
                                  const auto self = weak.lock();
                                  if (!self) return;
                                  --self->open_refreshes_;
                                  if (self->open_refreshes_ == 0 && self->refresh_again_) {
                                    self->refresh();
                                  }
                                });
}

void ClientEvents::Client::show_document(DocumentUri uri, std::optional<Range> selection) {
  if (!capabilities.show_document) return;
  dispatcher_->request<Nothing>("window/showDocument",
                                ShowDocumentParams{std::move(uri), true, selection},
                                [](const Outcome<Nothing>&) {});
}

void ClientEvents::Client::watch_files(std::vector<WatchedPattern> patterns) {
  if (!capabilities.register_watched_files) return;
  const auto ignore = [](const Outcome<Nothing>&) {};
  if (!watch_id_.empty()) {
    dispatcher_->request<Nothing>("client/unregisterCapability",
                                  UnregisterParams{watch_id_, watch_method}, ignore);
    watch_id_.clear();
  }
  if (patterns.empty()) return;
  watch_id_ = fmt::format("gprof-lsp/watch/{}", ++last_watch_);
  dispatcher_->request<Nothing>("client/registerCapability",
                                RegisterWatchedFilesParams{watch_id_, std::move(patterns)}, ignore);
}

ClientEvents::ClientEvents(asio::any_io_executor io, std::shared_ptr<Dispatcher> dispatcher,
                           LogFile* log)
    : io_(std::move(io)), client_(std::make_shared<Client>(std::move(dispatcher))), log_(log) {}

ClientEvents::~ClientEvents() = default;

template <typename Member, typename... Arguments>
void ClientEvents::post(Member member, Arguments... arguments) {
  asio::post(io_, [weak = std::weak_ptr<Client>(client_), member,
                   ... arguments = std::move(arguments)]() mutable {
    if (const auto client = weak.lock()) ((*client).*member)(std::move(arguments)...);
  });
}

void ClientEvents::set_capabilities(const ClientCapabilities& capabilities) {
  client_->capabilities = capabilities;
}

void ClientEvents::set_log_level(LogLevel level) { client_->log_level = level; }

void ClientEvents::cancel_progress(const std::string& token) { client_->cancel(token); }

ProgressId ClientEvents::begin_progress(std::string title, std::function<void()> cancel) {
  const ProgressId id = ++last_progress_;
  post(&Client::begin, id, std::move(title), std::move(cancel));
  return id;
}

void ClientEvents::report_progress(ProgressId id, std::uint32_t percent, std::string message) {
  post(&Client::report, id, percent, std::move(message));
}

void ClientEvents::end_progress(ProgressId id, std::string message) {
  post(&Client::end, id, std::move(message));
}

void ClientEvents::show_message(Severity severity, std::string text) {
  if (log_) {
    const bool error = severity == Severity::error;
    const bool warning = severity == Severity::warning;
    log_->write(error ? LogLevel::error : warning ? LogLevel::warning : LogLevel::info, text);
  }
  post(&Client::show, severity, std::move(text));
}

void ClientEvents::ask(Severity severity, std::string text, std::vector<std::string> choices,
                       std::function<void(std::optional<std::string>)> chosen) {
  post(&Client::ask, ShowMessageRequestParams{severity, std::move(text), std::move(choices)},
       std::move(chosen));
}

void ClientEvents::log(LogLevel level, std::string text) {
  if (log_) log_->write(level, text);
  post(&Client::log, level, std::move(text));
}

void ClientEvents::on_refresh(std::function<void()> listener) {
  client_->refresh_listeners.push_back(std::move(listener));
}

void ClientEvents::refresh() { post(&Client::refresh_all); }

void ClientEvents::refresh_document(DocumentUri uri) {
  post(&Client::refresh_document, std::move(uri));
}

void ClientEvents::status(ProfileStatus status) { post(&Client::status, std::move(status)); }

void ClientEvents::show_document(DocumentUri uri, std::optional<Range> selection) {
  post(&Client::show_document, std::move(uri), selection);
}

void ClientEvents::watch_files(std::vector<WatchedPattern> patterns) {
  post(&Client::watch_files, std::move(patterns));
}

}  // namespace gprof::lsp
