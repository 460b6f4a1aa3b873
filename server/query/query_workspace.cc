#include "server/query/query_workspace.h"

#include <mutex>
#include <utility>

#include "server/protocol/uri.h"

namespace gprof::lsp {

// Nobody looks at an editor here: what loading says goes to the listener, and nothing is asked.
class QueryWorkspace::Events : public ServiceEvents {
 public:
  explicit Events(WorkspaceListener listener) : listener_(std::move(listener)) {}

  ProgressId begin_progress(std::string title, std::function<void()>) override {
    tell(0, title);
    return ++last_;
  }
  void report_progress(ProgressId, std::uint32_t percent, std::string message) override {
    tell(percent, message);
  }
  void end_progress(ProgressId, std::string) override {}
  void show_message(Severity severity, std::string text) override {
    log(severity == Severity::error ? LogLevel::error : LogLevel::warning, std::move(text));
  }
  void ask(Severity severity, std::string text, std::vector<std::string>,
           std::function<void(std::optional<std::string>)> chosen) override {
    show_message(severity, std::move(text));
    chosen(std::nullopt);
  }
  void log(LogLevel level, std::string text) override {
    if (listener_.log) listener_.log(level, text);
  }
  void refresh() override {}
  void refresh_document(DocumentUri) override {}
  void status(ProfileStatus status) override {
    std::vector<std::string> problems = std::move(status.warnings);
    // That nothing was found is no failure, and each tool says it with what an agent can do.
    const bool finds_nothing = status.program.empty() && status.state == ProfileState::ready;
    if (!status.message.empty() && !finds_nothing) {
      problems.insert(problems.begin(), std::move(status.message));
    }
    const std::lock_guard lock(mutex_);
    problems_ = std::move(problems);
  }
  void show_document(DocumentUri, std::optional<Range>) override {}
  void watch_files(std::vector<WatchedPattern>) override {}

  [[nodiscard]] std::vector<std::string> problems() const {
    const std::lock_guard lock(mutex_);
    return problems_;
  }

 private:
  void tell(std::uint32_t percent, const std::string& step) {
    if (listener_.progress) listener_.progress(percent, step);
  }

  const WorkspaceListener listener_;
  std::atomic<ProgressId> last_ = 0;
  mutable std::mutex mutex_;  // guards what follows
  std::vector<std::string> problems_;
};

QueryWorkspace::QueryWorkspace(WorkspaceOptions options, const SharedPrograms& shared,
                               WorkspaceListener listener)
    : paths_(options.folders),
      executables_(shared.builds.executables),
      debug_files_(shared.debug_files),
      post_(std::move(options.post)),
      events_(std::make_unique<Events>(std::move(listener))),
      service_(make_profile_service(options.worker_threads, shared)) {
  fetches_ = std::make_unique<EditorFetchAudience>(*events_);
  ClientCapabilities client;
  // Answers go by bytes, and tell steps of loading.
  client.work_done_progress = true;
  service_->start({std::move(options.settings), options.folders->folders(), std::move(client),
                   PositionEncoding::utf8, options.folders},
                  *events_);
}

QueryWorkspace::~QueryWorkspace() = default;

void QueryWorkspace::run(Job<FeatureContext&> job) { service_->run({}, std::move(job)); }

void QueryWorkspace::ask(const Tool& tool, AnyValue arguments,
                         std::shared_ptr<const std::atomic<bool>> cancelled, Done done) {
  if (auto fits = check_arguments(tool, arguments); !fits) return done(fits.error());
  if (!post_) return answer(tool, std::move(arguments), std::move(cancelled), std::move(done));
  auto ready = [this, alive = std::weak_ptr(alive_), &tool, arguments = std::move(arguments),
                cancelled = std::move(cancelled), done = std::move(done)]() {
    if (!alive.expired()) answer(tool, arguments, cancelled, done);
  };
  // One look at files that are not watched, such as those of running programs.
  service_->when_idle(1, [post = post_, ready = std::move(ready)] { post(ready); });
}

void QueryWorkspace::answer(const Tool& tool, AnyValue arguments,
                            std::shared_ptr<const std::atomic<bool>> cancelled, Done done) {
  DocumentView document;
  // A question about a file is about the programs that it was compiled into.
  if (const AnyValue* file = arguments.find("file"); file != nullptr && file->string() != nullptr) {
    if (const auto path = paths_.resolve(*file->string(), "arguments.file")) {
      document.path = *path;
      document.uri = uri_from_path(*path);
    }
  }
  service_->run(std::move(document),
                [this, &tool, arguments = std::move(arguments), cancelled = std::move(cancelled),
                 done = std::move(done)](FeatureContext& features) {
                  ToolContext context{features,
                                      paths_,
                                      events_->problems(),
                                      executables_,
                                      debug_files_of(debug_files_, *fetches_, *cancelled),
                                      *cancelled};
                  try {
                    done(tool.answer(context, arguments));
                  } catch (const std::bad_alloc&) {
                    const MemoryPatience patience;
                    done(Error{ErrorCode::unreadable, no_memory_to_answer().message, {}, {}});
                  }
                });
}

}  // namespace gprof::lsp
