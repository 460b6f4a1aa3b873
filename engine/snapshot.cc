#include "engine/snapshot.h"

#include <fmt/format.h>

#include "engine/callgraph/uninstrumented_code.h"

namespace gprof {
namespace {

void warn_of_lost_calls(const Profile& profile, RecordedRuns& runs) {
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
                   const Snapshot* like, std::optional<SnapshotOrigin> origin)
    : program_(std::move(program)),
      runs_(std::move(recorded.runs)),
      origin_(std::move(origin)),
      call_sites_(symbols(), code(), call_site_precision(recorded.raw)),
      profile_(Profile::attribute(recorded.raw, symbols(), call_sites_,
                                  like ? &like->profile_ : nullptr, recorded.samples)),
      estimated_graph_(CallGraph::build(profile_.self_ticks(), profile_.site_arcs(), {},
                                        like ? &like->estimated_graph_ : nullptr)),
      measured_(measured_times(runs_.stacks, runs_.inclusive, symbols().size())),
      measured_graph_(measured().known() ? std::optional(estimated_graph_.with(measured()))
                                         : std::nullopt),
      times_(graph(), measured(), profile_.errors()),
      source_index_(source_index_parts()) {
  warn_of_lost_calls(profile_, runs_);
}

Snapshot::Snapshot(std::shared_ptr<const Program> program, RecordedRuns runs,
                   SnapshotFileReader& index)
    : program_(std::move(program)),
      runs_(std::move(runs)),
      call_sites_(symbols(), code(), restored_precision(index)),
      profile_(restored<Profile>(index)),
      estimated_graph_(restored<CallGraph>(index)),
      measured_(std::make_unique<const MeasuredTimes>()),
      times_(graph(), measured(), profile_.errors()),
      source_index_(source_index_parts(), index) {
  times_.restore(index);
  std::call_once(bounds_made_,
                 [&] { bounds_.emplace(estimated_graph_, profile_.errors(), index); });
  runs_.stacks.add_run_without(profile_.total_ticks());
}

SourceIndexParts Snapshot::source_index_parts() const {
  return {symbols(), code(), sources(), call_sites_, profile_, graph(), measured(), times_};
}

std::vector<std::function<bool()>> Snapshot::soundness_checks() const {
  const std::size_t count = symbols().size();
  const std::size_t sites = profile_.site_arcs().size();
  return {
      [this, count, sites] { return estimated_graph_.is_sound(count, sites); },
      [this, count] {
        return gprof::is_sound(call_sites_.precision()) && profile_.is_sound(count) &&
               source_index_.is_sound() && times_.is_sound(count) && bounds().is_sound(count);
      },
      [this] { return symbols().is_sound(); },
  };
}

void Snapshot::store(SnapshotFileWriter& index) const {
  index.number(call_sites_.precision().base);
  index.number(call_sites_.precision().slot_size);
  Profile::exchange(profile_, index);
  CallGraph::exchange(estimated_graph_, index);
  source_index_.store(index);
  times_.store(index);
  BoundedTimes::exchange(bounds(), index);
}

const BoundedTimes& Snapshot::bounds() const {
  std::call_once(bounds_made_, [this] {
    bounds_.emplace(estimated_graph_, find_uninstrumented_code(symbols(), code(), estimated_graph_),
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
