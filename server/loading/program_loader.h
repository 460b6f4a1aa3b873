// Keeps what is shown up to date with the files, the settings and the user's choices: loads in the
// background when something has changed, and notifies the client.
//
// Ownership: owns the loading thread and the file-watching thread; shares the snapshots.
// Thread contract: the I/O thread, which never waits, except for state() and tell_late_warnings(),
// which any thread may call. The destructor calls stop().
// Without threads everything is synchronous, and only the client watches files.
// Errors: reported to the client, including running out of memory; what was shown before stays.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "server/discovery/program_choices.h"
#include "server/discovery/program_planner.h"
#include "server/discovery/remembered_choice.h"
#include "server/loading/change_monitor.h"
#include "server/loading/debug_file_servers.h"
#include "server/loading/load_notifier.h"
#include "server/loading/profile_store.h"
#include "server/protocol/lifecycle.h"
#include "server/protocol/service_events.h"
#include "server/system/worker_pool.h"

namespace gprof::lsp {

class ProgramLoader {
 public:
  ProgramLoader(bool threads, std::shared_ptr<SnapshotCache> snapshots,
                std::shared_ptr<LineCache> lines, ChoiceMemory choices, EarlierBuilds builds = {},
                std::shared_ptr<DebugFileServers> debug_files = nullptr);
  ~ProgramLoader();
  // Cancels the running load and ends the threads; nothing more is loaded.
  void stop();
  ProgramLoader(const ProgramLoader&) = delete;
  ProgramLoader& operator=(const ProgramLoader&) = delete;

  struct Start {
    std::vector<ProgramSettings> programs;
    std::vector<std::filesystem::path> workspace_folders;
    ClientCapabilities client;
    // Called on the loading thread once there is a state, possibly empty, to answer from.
    std::function<void()> loaded;
    std::optional<BaseSettings> base = std::nullopt;
    Bounds bounds = nullptr;  // on what is read
    // Called on the loading thread with each status; without it, the events are told.
    std::function<void(ProfileStatus)> tell_status = nullptr;
  };
  // Call once. `events` must outlive the loader.
  void start(Start start, ServiceEvents& events);
  void use_programs(std::vector<ProgramSettings> programs);
  void use_base(std::optional<BaseSettings> base);
  void use_workspace_folders(std::vector<std::filesystem::path> folders);
  // If called before start(), the previous session's selection does not count.
  void use_choices(ProgramChoices choices);
  // Reported by the client.
  void files_changed(ChangedFiles files);
  // Requested by the user: everything is checked again, and problems are reported again.
  void reload();

  // Calls `done` once everything that was requested, or had changed on disk, before this call has
  // been loaded and reported; on any of the loader's threads. Files that are not watched, as those
  // of running programs, are looked at so many times. After stop(), `done` is destroyed without
  // being called.
  void settle(unsigned looks, Job<> done);

  [[nodiscard]] ProfileStore::State state() const { return store_.state(); }
  // As LoadNotifier's.
  bool tell_late_warnings(const std::vector<LoadedProgram>& programs);
  void add_late_warnings(ProfileStatus& status);

 private:
  // What was requested since the last load began.
  struct Orders {
    ChangedFiles changed;
    bool load = false;      // even if no file has changed
    bool asked = false;     // by the user
    bool remember = false;  // the choice is new
  };
  struct Work {
    Orders orders;
    PlanRequest request;
    std::shared_ptr<std::atomic<bool>> cancelled;
  };
  class ShownProgress;

  void queue(const std::function<void(Orders&)>& order);
  // These run on the loading thread.
  void work();
  [[nodiscard]] std::optional<Work> take_work();
  void settle_choices(Work& work);
  void settle_newest_known(Work& work);
  void remember(const Work& work) const;
  void carry_out(Work& work);
  void load(const Work& work, LoadPlan plan);
  [[nodiscard]] LoadReport loaded_plan(const ProfileStore::Request& request);
  // Reports the outcome. `was_shown`: the client was shown progress.
  void conclude(const Work& work, LoadReport report, bool was_shown);
  void put_unavailable(ProfileStatus& status, const ProgramChoices& choices) const;
  void complete();
  void watch(const WatchSet& files, const std::vector<std::filesystem::path>& folders);
  void persist();

  const std::shared_ptr<SnapshotCache> snapshots_;
  ProfileStore store_;
  const ChoiceMemory memory_;
  const std::shared_ptr<DebugFileServers> debug_files_;  // may be null
  ServiceEvents* events_ = nullptr;
  std::optional<LoadNotifier> notifier_;
  ClientCapabilities client_;
  Bounds bounds_;
  std::function<void()> loaded_;
  std::function<void(ProfileStatus)> tell_status_;

  std::mutex mutex_;  // guards what follows
  std::vector<ProgramSettings> programs_;
  std::optional<BaseSettings> base_;
  std::vector<std::filesystem::path> workspace_folders_;
  ProgramChoices choices_;
  bool chosen_ = false;  // in this session
  bool started_ = false;
  bool queued_ = false;
  bool ending_ = false;
  Orders orders_;
  std::shared_ptr<std::atomic<bool>> cancelled_;  // of the running load

  // Used by the loading thread only.
  ProgramPlanner planner_;
  std::optional<LoadPlan> plan_;  // of the last load
  LoadReport report_;
  std::optional<ProfileStatus> status_;
  std::optional<std::vector<WatchedPattern>> patterns_;  // watched by the client
  std::optional<std::vector<std::filesystem::path>> recalled_for_;
  std::optional<RememberedChoice> recalled_;
  bool first_load_ended_ = false;
  bool persisting_due_ = false;
  std::atomic<std::uint64_t> loads_begun_ = 0;
  std::atomic<bool> interrupt_persisting_ = false;

  // Null after stop().
  std::unique_ptr<WorkerPool> thread_;
  std::unique_ptr<ChangeMonitor> monitor_;
};

}  // namespace gprof::lsp
