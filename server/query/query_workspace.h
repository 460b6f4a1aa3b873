// A workspace as the language server has it, for questions instead of an editor: finds and loads
// its programs, follows changes, and answers tools.
//
// Ownership: owns the service. Thread contract: one thread for all members; with workers, answers
// are given on theirs, without them before ask() returns.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "engine/support/folder_bounds.h"
#include "server/loading/debug_file_fetch.h"
#include "server/query/tool.h"
#include "server/session/profile_service.h"

namespace gprof::lsp {

struct WorkspaceOptions {
  Bounds folders;  // never null: of these, and nothing else is read for a question
  ClientSettings settings;
  std::size_t worker_threads = 0;
  // With workers: runs a task on the thread that uses the workspace.
  std::function<void(std::function<void()>)> post = {};
};

// Told what is going on while programs are loaded; any thread.
struct WorkspaceListener {
  std::function<void(std::uint32_t percent, const std::string& step)> progress = {};
  std::function<void(LogLevel level, const std::string& text)> log = {};
};

class QueryWorkspace {
 public:
  // Begins to load; without workers, returns when all is loaded.
  QueryWorkspace(WorkspaceOptions options, const SharedPrograms& shared,
                 WorkspaceListener listener);
  ~QueryWorkspace();
  QueryWorkspace(const QueryWorkspace&) = delete;
  QueryWorkspace& operator=(const QueryWorkspace&) = delete;

  [[nodiscard]] const WorkspacePaths& paths() const { return paths_; }

  // Answers a tool that only reads, once there is a state to answer from and what changed on disk
  // before has been loaded. `done` is called once, unless the workspace ends before.
  using Done = std::function<void(Expected<AnyValue>)>;
  void ask(const Tool& tool, AnyValue arguments, std::shared_ptr<const std::atomic<bool>> cancelled,
           Done done);
  // Runs a job on the newest state, on a worker.
  void run(Job<FeatureContext&> job);

 private:
  class Events;

  void answer(const Tool& tool, AnyValue arguments,
              std::shared_ptr<const std::atomic<bool>> cancelled, Done done);

  WorkspacePaths paths_;
  std::shared_ptr<KeptExecutables> executables_;
  std::shared_ptr<DebugFileServers> debug_files_;
  std::unique_ptr<FetchAudience> fetches_;
  const std::function<void(std::function<void()>)> post_;  // null without workers
  // Expires with the workspace: a task that was posted may come later.
  std::shared_ptr<int> alive_ = std::make_shared<int>();
  std::unique_ptr<Events> events_;           // outlives the service
  std::unique_ptr<ProfileService> service_;  // last
};

}  // namespace gprof::lsp
