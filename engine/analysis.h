// The pipeline: an executable and its gmon files in, one immutable analysed profile out.
//
// Ownership: a Snapshot owns everything below it, and shares its Program. Thread contract:
// analyse() may run on any thread, several at once; a Snapshot is immutable and may be read from
// any thread (it guards what it decodes on demand). Errors: the first unusable file ends the
// analysis; tolerable damage is in Snapshot::warnings().
#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/callgraph/call_graph.h"
#include "engine/callgraph/function_times.h"
#include "engine/callgraph/measured_times.h"
#include "engine/callgraph/time_bounds.h"
#include "engine/gmon/live_counters.h"
#include "engine/gmon/raw_profile.h"
#include "engine/profile/call_sites.h"
#include "engine/profile/profile.h"
#include "engine/profile/stack_samples.h"
#include "engine/program.h"
#include "engine/run_info.h"
#include "engine/source/source_index.h"
#include "engine/support/expected.h"

namespace gprof {

// Counters of a running program at the moment identified by `stamp`.
struct LiveInput {
  std::shared_ptr<const LiveCounters> counters;  // never null
  FileStamp stamp;
};

class Snapshot;

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

// The files that a snapshot was made from, in their state before they were read.
struct SnapshotOrigin {
  struct File {
    std::string path;
    std::optional<FileStamp> stamp;   // none: it did not exist
    std::optional<FileTime> changed;  // see file_change_time()
    friend bool operator==(const File&, const File&) = default;
  };
  std::string key;          // identifies program and profiles in any state; see index_key()
  std::vector<File> files;  // the program's and the profiles'
  FileTime read_at = 0;     // when they were read
};

class Snapshot {
 public:
  // Use analyse(). The parts must belong together.
  struct Parts {
    std::shared_ptr<const Program> program;
    RawProfile raw;
    // A snapshot of the program whose profile has_calls_of(raw), or null; released once its parts
    // are taken.
    std::shared_ptr<const Snapshot> like;
    RunInfo run_info;
    StackSamples stacks;
    CollectedSamples samples;
    InclusiveCosts inclusive;
    std::vector<std::string> profile_paths;
    FileTime profile_modified = 0;
    Warnings warnings;
    // None if the snapshot is not to be kept for later processes, or already was.
    std::optional<SnapshotOrigin> origin;
  };
  explicit Snapshot(Parts parts);
  // What store() wrote; must not be used unless all its soundness_checks() hold.
  Snapshot(Parts parts, SnapshotFileReader& index);
  // Checks it and its program's symbols. Independent of each other; the longest first.
  [[nodiscard]] std::vector<std::function<bool()>> soundness_checks() const;
  Snapshot(const Snapshot&) = delete;
  Snapshot& operator=(const Snapshot&) = delete;

  // Never null.
  [[nodiscard]] const std::shared_ptr<const Program>& program() const { return parts_.program; }
  [[nodiscard]] const Image& image() const { return parts_.program->image(); }
  [[nodiscard]] const SymbolTable& symbols() const { return parts_.program->symbols(); }
  [[nodiscard]] const MachineCode& code() const { return parts_.program->code(); }
  [[nodiscard]] const Profile& profile() const { return profile_; }
  // With measured times if there are any; otherwise with gprof's estimates.
  [[nodiscard]] const CallGraph& graph() const {
    return measured_graph_ ? *measured_graph_ : estimated_graph_;
  }
  [[nodiscard]] const CallGraph& estimated_graph() const { return estimated_graph_; }
  [[nodiscard]] const FunctionTimes& times() const { return times_; }
  // Bounds that hold whatever each call cost. Made on demand.
  [[nodiscard]] const BoundedTimes& bounds() const;
  [[nodiscard]] const ProgramSources& sources() const { return parts_.program->sources(); }
  [[nodiscard]] const SourceIndex& source_index() const { return source_index_; }
  [[nodiscard]] const RunInfo& run_info() const { return parts_.run_info; }
  // The sampled stacks, and what they show if they represent the whole profile.
  [[nodiscard]] const StackSamples& stacks() const { return parts_.stacks; }
  [[nodiscard]] const MeasuredTimes& measured() const { return *measured_; }
  [[nodiscard]] bool has_debug_information() const {
    return parts_.program->has_debug_information();
  }
  [[nodiscard]] const std::vector<std::string>& profile_paths() const {
    return parts_.profile_paths;
  }
  // Of the newest profile.
  [[nodiscard]] FileTime profile_modified() const { return parts_.profile_modified; }
  // None unless the snapshot may be kept for later processes.
  [[nodiscard]] const std::optional<SnapshotOrigin>& origin() const { return parts_.origin; }
  // Writes what the second constructor reads; the program is stored separately.
  void store(SnapshotFileWriter& index) const;
  // The program's, then the profiles'; grows as more debug information is decoded.
  [[nodiscard]] Warnings warnings() const;
  [[nodiscard]] const Warnings& own_warnings() const { return parts_.warnings; }

 private:
  Parts parts_;
  CallSites call_sites_;
  Profile profile_;
  CallGraph estimated_graph_;
  std::unique_ptr<const MeasuredTimes> measured_;  // never null
  std::optional<CallGraph> measured_graph_;
  FunctionTimes times_;
  mutable std::once_flag bounds_made_;
  mutable std::optional<BoundedTimes> bounds_;
  SourceIndex source_index_;
};

[[nodiscard]] Expected<std::shared_ptr<const Snapshot>> analyse(const AnalysisRequest& request);

}  // namespace gprof
