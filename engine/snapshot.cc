#include "engine/snapshot.h"

#include <fmt/format.h>

#include "engine/callgraph/uninstrumented_code.h"
#include "engine/recording.h"
#include "engine/snapshot_views.h"
#include "engine/support/parallel.h"

namespace gprof {
namespace {

void warn_of_lost_calls(const FunctionCosts& profile, RecordedRuns& runs) {
  if (profile.unattributed_calls() == 0) return;
  runs.warnings.push_back(Error{ErrorCode::mismatch,
                                fmt::format("{} calls go to addresses where the program has no "
                                            "function; they are not shown",
                                            profile.unattributed_calls()),
                                runs.paths.empty() ? "" : runs.paths.front(), std::nullopt});
}

template <typename T>
T restored(SnapshotFileReader& index) {
  T value;
  T::exchange(value, index);
  return value;
}

CallSitePrecision restored_precision(SnapshotFileReader& index) {
  CallSitePrecision precision;
  index.number(precision.base);
  index.number(precision.slot_size);
  return precision;
}

}  // namespace

Snapshot::Snapshot(std::shared_ptr<const Program> program, SummedProfile recorded,
                   const Snapshot* like, std::optional<SnapshotOrigin> origin,
                   const Snapshot* recounted)
    : program_(std::move(program)),
      runs_(std::move(recorded.runs)),
      origin_(std::move(origin)),
      call_sites_(symbols(), code(), call_site_precision(recorded.raw)),
      profile_(FunctionCosts::attribute(recorded.raw, symbols(), call_sites_,
                                        like ? &like->profile_ : nullptr, recorded.samples)),
      graph_(graph_parts()),
      source_index_(source_index_parts()),
      views_(std::make_unique<SnapshotViews>()) {
  // Most of it is taken from there, at once.
  if (like != nullptr || recounted != nullptr) {
    graph_.make(like ? &like->estimated_graph() : nullptr,
                recounted ? &recounted->measured() : nullptr);
  }
  warn_of_lost_calls(profile_, runs_);
  describe_metrics();
}

Snapshot::~Snapshot() = default;

// Those of costs come with what was recorded; a snapshot of no recording has that of its samples.
void Snapshot::describe_metrics() {
  if (runs_.metrics.empty()) {
    runs_.metrics.push_back(sampled_metric(profile_.dimension(), profile_.ticks_per_second()));
    runs_.cost_metric = runs_.metrics.front();
    runs_.dimensions = dimensions_of(runs_.paths);
  }
  if (profile_.has_arcs()) {
    runs_.metrics.push_back({std::string(calls_metric), "Calls", "calls", MetricKind::exact,
                             "exact: each one was counted"});
  }
  if (!profile_.blocks().empty()) {
    runs_.metrics.push_back({std::string(executions_metric), "Executions", "executions",
                             MetricKind::exact, "exact: each one was counted"});
  }
}

Snapshot::Snapshot(std::shared_ptr<const Program> program, RecordedRuns runs,
                   SnapshotFileReader& index)
    : program_(std::move(program)),
      runs_(std::move(runs)),
      call_sites_(symbols(), code(), restored_precision(index)),
      profile_(restored<FunctionCosts>(index)),
      graph_(graph_parts(), restored<CallGraph>(index)),
      source_index_(source_index_parts(), index),
      views_(std::make_unique<SnapshotViews>()) {
  describe_metrics();
  graph_.restore_errors(index);
  std::call_once(bounds_made_,
                 [&] { bounds_.emplace(estimated_graph(), profile_.errors(), index); });
}

TimedGraph::Parts Snapshot::graph_parts() const {
  return {profile_, runs_.stacks, runs_.inclusive};
}

SourceIndexParts Snapshot::source_index_parts() const {
  return {symbols(), code(), sources(), call_sites_, profile_, graph_, runs_.waits.get()};
}

void Snapshot::make_totals() const {
  run_beside([this] { graph_.make(); }, [this] { source_index_.make_ranks(); },
             symbols().size() >= elements_worth_a_thread);
}

std::vector<std::function<bool()>> Snapshot::soundness_checks() const {
  const std::size_t count = symbols().size();
  const std::size_t sites = profile_.site_arcs().size();
  return {
      [this, count, sites] { return estimated_graph().is_sound(count, sites); },
      [this, count] {
        return gprof::is_sound(call_sites_.precision()) && profile_.is_sound(count) &&
               source_index_.is_sound() && graph_.has_sound_errors(count) &&
               bounds().is_sound(count);
      },
      [this, count] { return runs_.stacks.is_sound(count) && runs_.inclusive.is_sound(count); },
  };
}

void Snapshot::store(SnapshotFileWriter& index) const {
  index.number(call_sites_.precision().base);
  index.number(call_sites_.precision().slot_size);
  FunctionCosts::exchange(profile_, index);
  CallGraph::exchange(estimated_graph(), index);
  source_index_.store(index);
  graph_.store_errors(index);
  BoundedTimes::exchange(bounds(), index);
}

const BoundedTimes& Snapshot::bounds() const {
  std::call_once(bounds_made_, [this] {
    bounds_.emplace(estimated_graph(),
                    find_uninstrumented_code(symbols(), code(), estimated_graph()),
                    profile_.errors());
  });
  return *bounds_;
}

Warnings Snapshot::warnings() const {
  Warnings all = program_->warnings();
  all.insert(all.end(), runs_.warnings.begin(), runs_.warnings.end());
  return all;
}

}  // namespace gprof
