// Keeps what is shown in step with the files, the settings and the user's choices: loads in the
// background, when something has changed, and tells the client.
//
// Ownership: owns the loading thread and the one that watches files; shares the snapshots.
// Thread contract: the I/O thread, which never waits, but for state() and tell_late_warnings(),
// which any thread may call. stop() is part of the destructor.
// Without threads everything is synchronous, and files are watched by the client alone.
// Errors: told to the client. Where memory runs out, that is told, and what was shown before stays.
#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "server/programs/change_monitor.h"
#include "server/programs/load_news.h"
#include "server/programs/profile_store.h"
#include "server/programs/program_choices.h"
#include "server/programs/program_planner.h"
#include "server/programs/remembered_choice.h"
#include "server/protocol/lifecycle.h"
#include "server/service_events.h"
#include "server/worker_pool.h"

namespace gprof::lsp {

class ProgramLoader {
 public:
  ProgramLoader(bool threads, std::shared_ptr<SnapshotCache> snapshots,
                std::shared_ptr<LineCache> lines, ChoiceMemory choices);
  ~ProgramLoader();
  // Cancels what is being loaded and ends the threads; nothing is loaded any more.
  void stop();
  ProgramLoader(const ProgramLoader&) = delete;
  ProgramLoader& operator=(const ProgramLoader&) = delete;

  struct Start {
    std::vector<ProgramSettings> programs;
    std::vector<std::filesystem::path> workspace_folders;
    ClientCapabilities client;
    // On the loading thread, when there is a state to answer from, be it an empty one.
    std::function<void()> loaded;
    std::optional<BaseSettings> base = std::nullopt;
    Bounds bounds = nullptr;  // of what is read
  };
  // Once. `events` outlives the loader.
  void start(Start start, ServiceEvents& events);
  void use_programs(std::vector<ProgramSettings> programs);
  void use_base(std::optional<BaseSettings> base);
  void use_workspace_folders(std::vector<std::filesystem::path> folders);
  // Before start() too: then what was chosen last time is not looked up.
  void use_choices(ProgramChoices choices);
  // The client says so.
  void files_changed(ChangedFiles files);
  // The user says so: everything is looked at again, and what is wrong is told again.
  void reload();

  [[nodiscard]] ProfileStore::State state() const { return store_.state(); }
  void tell_late_warnings(const std::vector<LoadedProgram>& programs);

 private:
  // What has come since the last load began.
  struct Orders {
    ChangedFiles changed;
    bool load = false;      // though no file has changed
    bool asked = false;     // the user did
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
  void carry_out(Work& work);
  void load(const Work& work, LoadPlan plan);
  [[nodiscard]] LoadReport loaded_plan(const ProfileStore::Request& request);
  // Tells what came of it. `was_shown`: the client was told that something is loaded.
  void conclude(const Work& work, LoadReport report, bool was_shown);
  [[nodiscard]] std::optional<std::string> learned();
  void end_first_load();
  void watch(const WatchSet& files, const std::vector<std::filesystem::path>& folders);
  void learn();

  const std::shared_ptr<SnapshotCache> snapshots_;
  ProfileStore store_;
  const ChoiceMemory memory_;
  ServiceEvents* events_ = nullptr;
  std::optional<LoadNews> news_;
  ClientCapabilities client_;
  Bounds bounds_;
  std::function<void()> loaded_;

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
  std::shared_ptr<std::atomic<bool>> cancelled_;  // of the load that runs

  // The loading thread's own.
  ProgramPlanner planner_;
  std::optional<LoadPlan> plan_;  // of the last load
  LoadReport report_;
  std::optional<ProfileStatus> status_;
  std::optional<std::vector<WatchedPattern>> patterns_;  // that the client watches
  std::optional<std::vector<std::filesystem::path>> recalled_for_;
  bool first_load_ended_ = false;
  bool learning_due_ = false;
  std::atomic<bool> interrupt_learning_ = false;

  // Null behind stop().
  std::unique_ptr<WorkerPool> thread_;
  std::unique_ptr<ChangeMonitor> monitor_;
};

}  // namespace gprof::lsp
