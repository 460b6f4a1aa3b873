#include "server/session/profile_service.h"

#include <mutex>
#include <utility>

#include "server/loading/program_loader.h"
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
      : loader_(worker_threads > 0, std::move(shared.snapshots), std::move(shared.lines),
                ChoiceMemory(std::move(shared.choices)), std::move(shared.builds)),
        workers_(worker_threads) {}
  // The loader's threads post to the workers, which read what is loaded.
  ~LoadingProfileService() override { loader_.stop(); }

  void start(ServiceContext context, ServiceEvents& events) override;
  void update_settings(ClientSettings settings) override;
  void update_workspace_folders(std::vector<std::filesystem::path> folders) override {
    loader_.use_workspace_folders(std::move(folders));
  }
  void watched_files_changed(std::vector<FileEvent> changes) override;
  void update_choices(ProgramChoices choices) override { loader_.use_choices(std::move(choices)); }
  void reload() override { loader_.reload(); }
  void run(DocumentView document, Job<FeatureContext&> job) override;

 private:
  void run_now(DocumentView document, Job<FeatureContext&>& job);
  void release_waiting();

  ServiceEvents* events_ = nullptr;
  PositionEncoding encoding_ = PositionEncoding::utf16;
  ClientCapabilities client_;
  BuildAlignments alignments_;

  std::mutex mutex_;
  ClientSettings settings_;
  bool loaded_ = false;
  std::vector<Job<>> waiting_;  // requests received before the first load was done

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
  loader_.start({std::move(programs), std::move(context.workspace_folders), client_,
                 [this] { release_waiting(); }, std::move(base), std::move(context.bounds)},
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
  before.programs = settings.programs;
  before.base = settings.base;
  if (before != settings) events_->refresh();
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

void LoadingProfileService::run_now(DocumentView document, Job<FeatureContext&>& job) {
  ClientSettings settings;
  {
    const std::lock_guard lock(mutex_);
    settings = settings_;
  }
  const ProfileStore::State state = loader_.state();
  document.take_text();
  FeatureContext context{
      FileViews(state.programs, std::move(document), alignments_, encoding_, settings),
      std::move(settings),
      client_,
      encoding_,
      *events_,
      state.generation};
  job(context);
  loader_.tell_late_warnings(*state.programs);
}

}  // namespace

std::unique_ptr<ProfileService> make_profile_service(std::size_t worker_threads,
                                                     SharedPrograms shared) {
  if (!shared.snapshots) shared.snapshots = std::make_shared<SnapshotCache>();
  if (!shared.lines) shared.lines = std::make_shared<LineCache>(std::nullopt);
  return std::make_unique<LoadingProfileService>(worker_threads, std::move(shared));
}

}  // namespace gprof::lsp
