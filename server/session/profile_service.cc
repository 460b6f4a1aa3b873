#include "server/session/profile_service.h"

#include <mutex>
#include <set>
#include <string>
#include <utility>

#include "server/features/program_views.h"
#include "server/loading/program_loader.h"
#include "server/loading/test_programs.h"
#include "server/protocol/uri.h"
#include "server/system/worker_pool.h"

namespace gprof::lsp {
namespace {

// Joins the loader, which knows what is shown, and the workers, which answer from it.
//
// Thread contract: as in the interface; members after `mutex_` are shared with the workers and
// guarded by it.
class LoadingProfileService : public ProfileService {
 public:
  LoadingProfileService(std::size_t worker_threads, SharedPrograms shared)
      : tests_(worker_threads > 0, shared.lines),
        loader_(worker_threads > 0, std::move(shared.snapshots), std::move(shared.lines),
                ChoiceMemory(std::move(shared.choices)), std::move(shared.builds),
                std::move(shared.debug_files)),
        workers_(worker_threads) {}
  // The loader's threads post to the workers, which read what is loaded.
  ~LoadingProfileService() override { loader_.stop(); }

  void start(ServiceContext context, ServiceEvents& events) override;
  void update_settings(ClientSettings settings) override;
  void update_workspace_folders(std::vector<std::filesystem::path> folders) override {
    tests_.use_folders(folders);
    loader_.use_workspace_folders(std::move(folders));
  }
  void watched_files_changed(std::vector<FileEvent> changes) override;
  void update_choices(ProgramChoices choices) override { loader_.use_choices(std::move(choices)); }
  void select(const std::string& program, Selection selection) override;
  void reload() override { loader_.reload(); }
  void run(DocumentView document, Job<FeatureContext&> job) override;
  void when_idle(unsigned looks, Job<> done) override;
  [[nodiscard]] std::uint64_t jobs() const override { return workers_.posted(); }

 private:
  void run_now(DocumentView document, Job<FeatureContext&>& job);
  void release_waiting();
  void tell_status(ProfileStatus status);
  void tell_status_again();
  void tell_problems(const std::vector<SessionViews::Problem>& problems,
                     const ProgramSelections& selections);
  void tell_formulas(const ProfileStore::State& state, const ClientSettings& settings);

  ServiceEvents* events_ = nullptr;
  PositionEncoding encoding_ = PositionEncoding::utf16;
  ClientCapabilities client_;
  BuildAlignments alignments_;

  std::mutex mutex_;
  ClientSettings settings_;
  ProgramSelections selections_;
  ProfileStatus status_;                   // the last one, without what is told of views
  std::set<std::string> told_;             // of problems of views
  std::uint64_t checked_formulas_of_ = 0;  // generation
  std::vector<DerivedSetting> checked_formulas_;
  bool loaded_ = false;
  std::vector<Job<>> waiting_;  // requests received before the first load was done

  TestPrograms tests_;
  ProgramLoader loader_;
  WorkerPool workers_;  // last: its threads end before what they use
};

void LoadingProfileService::start(ServiceContext context, ServiceEvents& events) {
  events_ = &events;
  encoding_ = context.encoding;
  client_ = context.client;
  std::vector<ProgramSettings> programs = context.settings.programs;
  std::optional<BaseSettings> base = active_base(context.settings);
  {
    const std::lock_guard lock(mutex_);
    settings_ = std::move(context.settings);
  }
  tests_.start(context.workspace_folders, context.bounds, [this] { events_->refresh(); });
  loader_.start({std::move(programs), std::move(context.workspace_folders), client_,
                 [this] { release_waiting(); }, std::move(base), std::move(context.bounds),
                 [this](ProfileStatus status) { tell_status(std::move(status)); }},
                events);
}

void LoadingProfileService::update_settings(ClientSettings settings) {
  ClientSettings before;
  {
    const std::lock_guard lock(mutex_);
    before = std::exchange(settings_, settings);
  }
  if (before.programs != settings.programs) loader_.use_programs(settings.programs);
  if (before.base != settings.base) loader_.use_base(active_base(settings));
  const bool same_view = before.metric == settings.metric && before.derived == settings.derived &&
                         before.idle == settings.idle;
  if (!same_view) tell_status_again();
  before.programs = settings.programs;
  before.base = settings.base;
  if (before != settings) events_->refresh();
}

void LoadingProfileService::select(const std::string& program, Selection selection) {
  {
    const std::lock_guard lock(mutex_);
    if (selection.is_all()) {
      selections_.erase(program);
    } else {
      selections_[program] = std::move(selection);
    }
  }
  tell_status_again();
  events_->refresh();
}

// Sent under the lock, so that the last one that is sent tells the last view.
void LoadingProfileService::tell_status(ProfileStatus status) {
  const ProgramList programs = loader_.state().programs;
  const std::lock_guard lock(mutex_);
  status_ = status;
  loader_.add_late_warnings(status);
  status.metric = settings_.metric;
  if (!programs->empty() && !status.program.empty()) {
    put_view(status, programs->front(), settings_, selections_);
  }
  events_->status(std::move(status));
}

void LoadingProfileService::tell_status_again() {
  ProfileStatus status;
  {
    const std::lock_guard lock(mutex_);
    status = status_;
  }
  tell_status(std::move(status));
}

// A selection that cannot be shown any more is dropped, unless another one took its place.
void LoadingProfileService::tell_problems(const std::vector<SessionViews::Problem>& problems,
                                          const ProgramSelections& selections) {
  bool dropped = false;
  for (const SessionViews::Problem& problem : problems) {
    bool news = false;
    {
      const std::lock_guard lock(mutex_);
      const auto now = selections_.find(problem.program);
      if (problem.selection) {
        news = now != selections_.end() && now->second == selections.at(problem.program);
        if (news) selections_.erase(now);
      } else {
        news = told_.insert(problem.message).second;
      }
    }
    if (!news) continue;
    dropped = dropped || problem.selection;
    events_->show_message(Severity::warning, problem.selection
                                                 ? problem.message + "; all of the profile is shown"
                                                 : problem.message + "; time is shown instead");
  }
  if (!dropped) return;
  tell_status_again();
  events_->refresh();
}

// What is wrong with gprof.derived, once.
void LoadingProfileService::tell_formulas(const ProfileStore::State& state,
                                          const ClientSettings& settings) {
  {
    const std::lock_guard lock(mutex_);
    const bool checked =
        checked_formulas_of_ == state.generation && checked_formulas_ == settings.derived;
    checked_formulas_of_ = state.generation;
    checked_formulas_ = settings.derived;
    if (checked || settings.derived.empty()) return;
  }
  for (const LoadedProgram& program : *state.programs) {
    for (const Error& problem : derived_metrics_of(*program.snapshot, settings.derived).problems) {
      std::string text = program.name + ": gprof.derived: " + problem.message;
      bool news = false;
      {
        const std::lock_guard lock(mutex_);
        news = told_.insert(text).second;
      }
      if (news) events_->show_message(Severity::warning, std::move(text));
    }
  }
}

void LoadingProfileService::watched_files_changed(std::vector<FileEvent> changes) {
  ChangedFiles files;
  for (const FileEvent& event : changes) {
    if (auto path = path_from_uri(event.uri)) files.paths.insert(path->lexically_normal());
  }
  if (!files.paths.empty()) loader_.files_changed(std::move(files));
}

void LoadingProfileService::release_waiting() {
  std::vector<Job<>> waiting;
  {
    const std::lock_guard lock(mutex_);
    loaded_ = true;
    waiting.swap(waiting_);
  }
  for (Job<>& job : waiting) workers_.post(std::move(job));
}

void LoadingProfileService::run(DocumentView document, Job<FeatureContext&> job) {
  Job<> posted = [this, document = std::move(document), job = std::move(job)]() mutable {
    try {
      run_now(std::move(document), job);
    } catch (const std::bad_alloc&) {
      const MemoryPatience patience;
      events_->log(LogLevel::error, no_memory_to_answer().message);
    }
  };
  {
    const std::lock_guard lock(mutex_);
    if (!loaded_) {
      waiting_.push_back(std::move(posted));
      return;
    }
  }
  workers_.post(std::move(posted));
}

void LoadingProfileService::when_idle(unsigned looks, Job<> done) {
  Job<> settle = [this, looks, done = std::move(done)]() mutable {
    loader_.settle(looks, [this, done = std::move(done)]() mutable {
      // Requests may have programs looked at, which starts no other request.
      workers_.when_idle(
          [this, done = std::move(done)]() mutable { tests_.when_idle(std::move(done)); });
    });
  };
  {
    const std::lock_guard lock(mutex_);
    if (!loaded_) {
      waiting_.push_back(std::move(settle));
      return;
    }
  }
  settle();
}

void LoadingProfileService::run_now(DocumentView document, Job<FeatureContext&>& job) {
  ClientSettings settings;
  ProgramSelections selections;
  {
    const std::lock_guard lock(mutex_);
    settings = settings_;
    selections = selections_;
  }
  const ProfileStore::State state = loader_.state();
  document.take_text();
  tell_formulas(state, settings);
  const SessionViews views = session_views(state.programs, settings, selections);
  if (!views.problems.empty()) tell_problems(views.problems, selections);
  FeatureContext context{
      FileViews(views.programs, std::move(document), alignments_, encoding_, settings),
      std::move(settings),
      client_,
      encoding_,
      *events_,
      state.generation,
      state.programs,
      &tests_};
  job(context);
  if (loader_.tell_late_warnings(*state.programs)) tell_status_again();
}

}  // namespace

std::unique_ptr<ProfileService> make_profile_service(std::size_t worker_threads,
                                                     SharedPrograms shared) {
  if (!shared.snapshots) shared.snapshots = std::make_shared<SnapshotCache>();
  if (!shared.lines) shared.lines = std::make_shared<LineCache>(std::nullopt);
  return std::make_unique<LoadingProfileService>(worker_threads, std::move(shared));
}

}  // namespace gprof::lsp
