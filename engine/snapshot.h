// One analysed profile, immutable, that requests and reports are answered from. Made by analyse().
//
// Ownership: owns everything below it, and shares its Program. Thread contract: may be read from
// any thread; it guards what it makes on demand.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "engine/callgraph/call_graph.h"
#include "engine/callgraph/function_times.h"
#include "engine/callgraph/measured_times.h"
#include "engine/callgraph/time_bounds.h"
#include "engine/gmon/raw_profile.h"
#include "engine/profile/call_sites.h"
#include "engine/profile/profile.h"
#include "engine/profile/stack_samples.h"
#include "engine/program.h"
#include "engine/run_info.h"
#include "engine/source/source_index.h"

namespace gprof {

// What the runs of a program recorded besides samples and arcs.
struct RecordedRuns {
  std::vector<std::string> paths;  // of the profiles
  FileTime modified = 0;           // of the newest one
  RunInfo run_info;
  StackSamples stacks;
  InclusiveCosts inclusive;  // empty unless every profile has them
  Warnings warnings;
};

// Profiles of one program, added up.
struct SummedProfile {
  RawProfile raw;
  CollectedSamples samples;
  RecordedRuns runs;
  bool plain = true;            // no profile has more than fits in raw
  bool from_c_library = false;  // a profile with calls that our collector did not write
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
  // `like` is null, or a snapshot of the program whose profile has_calls_of(recorded.raw): what
  // depends on calls alone is taken from it.
  Snapshot(std::shared_ptr<const Program> program, SummedProfile recorded, const Snapshot* like,
           std::optional<SnapshotOrigin> origin);
  // What store() wrote; must not be used unless all its soundness_checks() hold.
  Snapshot(std::shared_ptr<const Program> program, RecordedRuns runs, SnapshotFileReader& index);
  // Checks it and its program's symbols. Independent of each other; the longest first.
  [[nodiscard]] std::vector<std::function<bool()>> soundness_checks() const;
  Snapshot(const Snapshot&) = delete;
  Snapshot& operator=(const Snapshot&) = delete;

  // Never null.
  [[nodiscard]] const std::shared_ptr<const Program>& program() const { return program_; }
  [[nodiscard]] const Image& image() const { return program_->image(); }
  [[nodiscard]] const SymbolTable& symbols() const { return program_->symbols(); }
  [[nodiscard]] const MachineCode& code() const { return program_->code(); }
  [[nodiscard]] const Profile& profile() const { return profile_; }
  // With measured times if there are any; otherwise with gprof's estimates.
  [[nodiscard]] const CallGraph& graph() const {
    return measured_graph_ ? *measured_graph_ : estimated_graph_;
  }
  [[nodiscard]] const CallGraph& estimated_graph() const { return estimated_graph_; }
  [[nodiscard]] const FunctionTimes& times() const { return times_; }
  // Bounds that hold whatever each call cost. Made on demand.
  [[nodiscard]] const BoundedTimes& bounds() const;
  [[nodiscard]] const ProgramSources& sources() const { return program_->sources(); }
  [[nodiscard]] const SourceIndex& source_index() const { return source_index_; }
  [[nodiscard]] const RunInfo& run_info() const { return runs_.run_info; }
  // The sampled stacks, and what they show if they represent the whole profile.
  [[nodiscard]] const StackSamples& stacks() const { return runs_.stacks; }
  [[nodiscard]] const MeasuredTimes& measured() const { return *measured_; }
  [[nodiscard]] bool has_debug_information() const { return program_->has_debug_information(); }
  [[nodiscard]] const std::vector<std::string>& profile_paths() const { return runs_.paths; }
  // Of the newest profile.
  [[nodiscard]] FileTime profile_modified() const { return runs_.modified; }
  // None unless the snapshot is to be kept for later processes.
  [[nodiscard]] const std::optional<SnapshotOrigin>& origin() const { return origin_; }
  // Writes what the second constructor reads; the program is stored separately.
  void store(SnapshotFileWriter& index) const;
  // The program's, then the profiles'; grows as more debug information is decoded.
  [[nodiscard]] Warnings warnings() const;
  [[nodiscard]] const Warnings& own_warnings() const { return runs_.warnings; }

 private:
  [[nodiscard]] SourceIndexParts source_index_parts() const;

  std::shared_ptr<const Program> program_;
  RecordedRuns runs_;
  std::optional<SnapshotOrigin> origin_;
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

}  // namespace gprof
