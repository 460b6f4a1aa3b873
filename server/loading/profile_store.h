// The programs that are shown. A load builds the new ones next to the old, then swaps them as a
// whole.
//
// A program that cannot be loaded keeps its last good state, and so does one that was rebuilt and
// has not run since; this is reported, and nothing else changes. The same holds for a base: it
// belongs to the first program whose executable has the same file name, else to the first program.
// Ownership: shares the snapshots with other stores. Thread contract: any thread; load() and
// persist() by one thread at a time.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "server/discovery/program_plan.h"
#include "server/loading/kept_executables.h"
#include "server/loading/known_builds.h"
#include "server/loading/snapshot_cache.h"
#include "server/sources/line_cache.h"
#include "server/sources/loaded_program.h"

namespace gprof::lsp {

using ProgramList = std::shared_ptr<const std::vector<LoadedProgram>>;

struct LoadReport {
  // Every failure and warning, each once.
  Warnings failures;
  Warnings warnings;
  // Programs shown in an older build, since the one on disk has not run yet.
  std::vector<std::filesystem::path> rebuilt;
  std::vector<std::string> remarks;  // for the log
  std::size_t loaded = 0;            // programs shown in their newest state
  // An unreadable program was written just now, as by a linker: its failure is not reported yet.
  bool unsettled = false;
  bool cancelled = false;  // if so, nothing has changed
  bool changed = false;    // what is shown has changed
};

// What is known of builds beyond those on disk. Null: nothing.
struct EarlierBuilds {
  std::shared_ptr<KeptExecutables> executables;
  std::shared_ptr<KnownBuilds> known;
};

class ProfileStore {
 public:
  ProfileStore(std::shared_ptr<SnapshotCache> snapshots, std::shared_ptr<LineCache> lines,
               EarlierBuilds builds = {})
      : snapshots_(std::move(snapshots)), lines_(std::move(lines)), builds_(std::move(builds)) {}

  struct State {
    ProgramList programs;  // never null; empty before the first load
    // Changes after each load that changed something, and when totals are made.
    std::uint64_t generation = 0;
  };
  [[nodiscard]] State state() const;
  [[nodiscard]] ProgramList programs() const { return state().programs; }

  using Progress = std::function<void(std::string_view step, double share)>;
  struct Request {
    const LoadPlan& plan;
    const std::vector<std::filesystem::path>& workspace_folders;
    // Locate the sources again.
    bool look_for_sources = false;
    // Called only while files are read.
    const Progress& progress;
    const std::atomic<bool>& cancelled;
    Bounds bounds = nullptr;  // on the sources that are shown
    DebugFileSearch debug_files = {};
  };
  LoadReport load(const Request& request);
  // Makes the totals that a load has left for later: those of large programs, which are shown
  // without them until then. Whether there were any; if so, the generation changes.
  bool make_totals();

  // Caches what is shown for later servers, and the source texts that match the build. Returns a
  // log message if they cannot be kept.
  [[nodiscard]] std::optional<std::string> persist(const std::atomic<bool>& interrupted);

 private:
  // What is shown and what it was made from.
  struct Shown {
    LoadedProgram program;
    PlannedProgram planned;
    StampedFiles files;
    std::vector<std::filesystem::path> workspace_folders;
  };
  using Loaded = Expected<std::shared_ptr<const Snapshot>>;

  [[nodiscard]] const Shown* last_good(const PlannedProgram& planned) const;
  [[nodiscard]] Shown show(const PlannedProgram& planned, const Request& request,
                           std::shared_ptr<const Snapshot> snapshot, StampedFiles files) const;
  [[nodiscard]] std::shared_ptr<BuildTexts> texts_of(const Program& program) const;
  void take(const PlannedProgram& planned, const Request& request, StampedFiles files,
            const Loaded& loaded, std::vector<Shown>& shown, LoadReport& report);
  // False if the load was cancelled.
  [[nodiscard]] Loaded load_build_of_base(const Request& request) const;
  [[nodiscard]] bool load_base(const Request& request, LoadReport& report);
  [[nodiscard]] bool compare(std::vector<Shown>& shown, const Request& request,
                             LoadReport& report) const;
  void publish(std::vector<Shown> shown, LoadReport& report);

  const std::shared_ptr<SnapshotCache> snapshots_;
  const std::shared_ptr<LineCache> lines_;
  const EarlierBuilds builds_;
  // Used by the loading thread only.
  std::vector<Shown> shown_;
  std::optional<Shown> base_;
  bool without_totals_ = false;  // some of what is shown was, when it was published

  mutable std::mutex mutex_;
  State state_{std::make_shared<const std::vector<LoadedProgram>>(), 0};
};

}  // namespace gprof::lsp
