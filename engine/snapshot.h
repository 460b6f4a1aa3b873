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

#include "engine/analysis/call_sites.h"
#include "engine/analysis/function_costs.h"
#include "engine/analysis/stack_samples.h"
#include "engine/analysis/wait_index.h"
#include "engine/callgraph/time_bounds.h"
#include "engine/callgraph/timed_graph.h"
#include "engine/gmon/raw_profile.h"
#include "engine/metrics/metric.h"
#include "engine/program.h"
#include "engine/run_info.h"
#include "engine/selection.h"
#include "engine/source/source_index.h"
#include "engine/support/file_state.h"

namespace gprof {

class Recording;
class Snapshot;
class SnapshotViews;

// What the runs of a program recorded besides samples and arcs.
struct RecordedRuns {
  std::vector<std::string> paths;  // of the profiles
  FileTime modified = 0;           // of the newest one
  RunInfo run_info;
  StackSamples stacks;
  InclusiveCosts inclusive;                // empty unless every profile has them
  std::shared_ptr<const WaitIndex> waits;  // null if there are none
  Warnings warnings;
  std::vector<Metric> metrics;  // of cost
  Metric cost_metric;
  Dimensions dimensions;
  Selection selection;
  // The program, the profiles and their sidecars, before they were read; empty if that is not
  // known.
  std::vector<FileVersion> files;
  // What views are made from; null where nothing can be told apart, or it is not in memory.
  std::shared_ptr<const Recording> recording;
  // Of a view.
  std::weak_ptr<const Snapshot> whole;
};

// Profiles of one program, added up.
struct SummedProfile {
  RawProfile raw;
  CollectedSamples samples;
  RecordedRuns runs;
  bool from_c_library = false;  // a profile with calls that our collector did not write
  // All profiles are files that tell by their times when they are written.
  bool has_versions = true;
  // That names of other modules' functions were looked for in, or would have been.
  std::vector<std::string> named_files;
};

// What a snapshot was made from.
struct SnapshotOrigin {
  std::string key;                 // identifies program and profiles in any state
  std::vector<FileVersion> files;  // the program's, the profiles' and the sidecars'
  std::vector<FileVersion> named_files;
  FileTime read_at = 0;  // when they were read
};

class Snapshot {
 public:
  // `like` is null, or a snapshot of the program whose profile has_calls_of(recorded.raw): what
  // depends on calls alone is taken from it. `recounted` is null, or a snapshot whose stacks those
  // recorded are recounted from.
  Snapshot(std::shared_ptr<const Program> program, SummedProfile recorded, const Snapshot* like,
           std::optional<SnapshotOrigin> origin, const Snapshot* recounted = nullptr);
  // What store() wrote; must not be used unless all its soundness_checks() hold.
  Snapshot(std::shared_ptr<const Program> program, RecordedRuns runs, SnapshotFileReader& index);
  // Independent of each other; the longest first.
  [[nodiscard]] std::vector<std::function<bool()>> soundness_checks() const;
  ~Snapshot();
  Snapshot(const Snapshot&) = delete;
  Snapshot& operator=(const Snapshot&) = delete;

  // Never null.
  [[nodiscard]] const std::shared_ptr<const Program>& program() const { return program_; }
  [[nodiscard]] const Image& image() const { return program_->image(); }
  [[nodiscard]] const SymbolTable& symbols() const { return program_->symbols(); }
  [[nodiscard]] const MachineCode& code() const { return program_->code(); }
  [[nodiscard]] const FunctionCosts& profile() const { return profile_; }
  // The graph and what follows from it, totals above all, are made when first asked for; see
  // TimedGraph. With measured times if there are any; otherwise with gprof's estimates.
  [[nodiscard]] const CallGraph& graph() const { return graph_.graph(); }
  [[nodiscard]] const CallGraph& estimated_graph() const { return graph_.estimated(); }
  [[nodiscard]] const FunctionTimes& times() const { return graph_.times(); }
  // Whether that is made: nobody will wait for it. Never waits.
  [[nodiscard]] bool has_totals() const { return graph_.is_made() && source_index_.is_ranked(); }
  // Makes it now, unless it is.
  void make_totals() const;
  // Bounds that hold whatever each call cost. Made on demand.
  [[nodiscard]] const BoundedTimes& bounds() const;
  [[nodiscard]] const ProgramSources& sources() const { return program_->sources(); }
  [[nodiscard]] const SourceIndex& source_index() const { return source_index_; }
  [[nodiscard]] const RunInfo& run_info() const { return runs_.run_info; }
  // The sampled stacks, and what they show if they represent the whole profile.
  [[nodiscard]] const StackSamples& stacks() const { return runs_.stacks; }
  [[nodiscard]] const MeasuredTimes& measured() const { return graph_.measured(); }
  // Of what is selected, by whatever metric; null if there are none.
  [[nodiscard]] const std::shared_ptr<const WaitIndex>& waits() const { return runs_.waits; }
  [[nodiscard]] bool has_debug_information() const { return program_->has_debug_information(); }
  [[nodiscard]] const std::vector<std::string>& profile_paths() const { return runs_.paths; }
  // What the profile tells: its metrics of cost first, then `calls` and `executions` where it has
  // them.
  [[nodiscard]] const std::vector<Metric>& metrics() const { return runs_.metrics; }
  // What its samples and times are of: one of metrics().
  [[nodiscard]] const Metric& cost_metric() const { return runs_.cost_metric; }
  // What can be selected of the whole profile, and what is; see snapshot_view.h.
  [[nodiscard]] const Dimensions& dimensions() const { return runs_.dimensions; }
  [[nodiscard]] const Selection& selection() const { return runs_.selection; }
  [[nodiscard]] const std::shared_ptr<const Recording>& recording() const {
    return runs_.recording;
  }
  // Null unless this is a view.
  [[nodiscard]] std::shared_ptr<const Snapshot> whole() const { return runs_.whole.lock(); }
  // Those that were made of this one; for view_of().
  [[nodiscard]] SnapshotViews& views() const { return *views_; }
  // Of the newest profile.
  [[nodiscard]] FileTime profile_modified() const { return runs_.modified; }
  // See RecordedRuns.
  [[nodiscard]] const std::vector<FileVersion>& files() const { return runs_.files; }
  // None unless the snapshot is to be kept for later processes.
  [[nodiscard]] const std::optional<SnapshotOrigin>& origin() const { return origin_; }
  // Writes what the second constructor reads; program and runs are stored separately.
  void store(SnapshotFileWriter& index) const;
  // The program's, then the profiles'; grows as more debug information is decoded.
  [[nodiscard]] Warnings warnings() const;
  [[nodiscard]] const Warnings& own_warnings() const { return runs_.warnings; }
  [[nodiscard]] const RecordedRuns& runs() const { return runs_; }

 private:
  [[nodiscard]] TimedGraph::Parts graph_parts() const;
  [[nodiscard]] SourceIndexParts source_index_parts() const;
  void describe_metrics();

  std::shared_ptr<const Program> program_;
  RecordedRuns runs_;
  std::optional<SnapshotOrigin> origin_;
  CallSites call_sites_;
  FunctionCosts profile_;
  TimedGraph graph_;
  mutable std::once_flag bounds_made_;
  mutable std::optional<BoundedTimes> bounds_;
  SourceIndex source_index_;
  std::unique_ptr<SnapshotViews> views_;  // never null
};

}  // namespace gprof
