// The programs that are shown: loads them beside the ones that are, and swaps them whole.
//
// A program that cannot be loaded keeps its last good state; the failure is told, and nothing else
// changes.
// Thread contract: any thread; load() by one thread at a time.
#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "server/discovery.h"
#include "server/features/file_view.h"
#include "server/protocol/settings.h"

namespace gprof::lsp {

using ProgramList = std::shared_ptr<const std::vector<LoadedProgram>>;

struct LoadReport {
  // Every failure and warning, each once; failures of programs first.
  Warnings failures;
  Warnings warnings;
  // Remarks for the log: an empty workspace, a search that was cut short.
  std::vector<std::string> remarks;
  // What is watched: executables and profiles, loaded or not.
  std::vector<std::filesystem::path> files;
  std::size_t loaded = 0;
};

class ProfileStore {
 public:
  // Never null; empty before the first load.
  [[nodiscard]] ProgramList programs() const;

  using Progress = std::function<void(std::string_view step, double share)>;
  LoadReport load(const ClientSettings& settings,
                  const std::vector<std::filesystem::path>& workspace_folders,
                  const Progress& progress, const std::atomic<bool>& cancelled);

 private:
  struct Plan {
    ProgramFiles files;
    std::vector<PathMapping> path_map;
  };
  [[nodiscard]] static std::vector<Plan> plan(
      const ClientSettings& settings, const std::vector<std::filesystem::path>& workspace_folders,
      LoadReport& report);
  static void keep_undiscovered(const std::vector<LoadedProgram>& before,
                                const std::vector<Plan>& plans, std::vector<LoadedProgram>& after);
  [[nodiscard]] const LoadedProgram* loaded_before(const std::filesystem::path& executable,
                                                   const ProgramList& before) const;

  mutable std::mutex mutex_;
  ProgramList programs_ = std::make_shared<const std::vector<LoadedProgram>>();
};

}  // namespace gprof::lsp
