// The pipeline: an executable and its gmon files in, one Snapshot out.
//
// Thread contract: any thread, several at once. Errors: the first unusable file ends the analysis;
// tolerable damage is in Snapshot::warnings().
#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string_view>
#include <vector>

#include "engine/gmon/live_counters.h"
#include "engine/snapshot.h"
#include "engine/support/expected.h"

namespace gprof {

// Counters of a running program at the moment identified by `stamp`.
struct LiveInput {
  std::shared_ptr<const LiveCounters> counters;  // never null
  FileStamp stamp;
};

struct AnalysisRequest {
  std::filesystem::path executable;
  std::vector<std::filesystem::path> profiles;  // added up
  // Counters of running programs that were already read, by their path in `profiles`: used instead
  // of the file's contents.
  std::map<std::filesystem::path, LiveInput> live;
  DebugFileSearch debug_files;
  // The program as opened before: reused if its files on disk are still the same. May be null, or
  // another program.
  std::shared_ptr<const Program> program;
  // A snapshot of that program, or null: what depends on calls alone is taken of it where the new
  // profile has the same ones.
  std::shared_ptr<const Snapshot> like;
  // Where snapshots of former processes are looked for; may be null. See snapshot_index.h.
  SnapshotFileStore* indexes = nullptr;
  // Called between steps, from the thread that runs analyse(). `share` of the work done, 0 to 1,
  // never decreasing.
  std::function<void(std::string_view step, double share)> progress;
  // Once true, analyse() soon ends with ErrorCode::cancelled.
  const std::atomic<bool>* cancelled = nullptr;
};

// Fails with ErrorCode::cancelled once the analysis was cancelled.
[[nodiscard]] Expected<void> check_not_cancelled(const AnalysisRequest& request);

[[nodiscard]] Expected<std::shared_ptr<const Snapshot>> analyse(const AnalysisRequest& request);

}  // namespace gprof
