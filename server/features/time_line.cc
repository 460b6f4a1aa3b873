#include "server/features/time_line.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "engine/snapshot_view.h"

namespace gprof::lsp {
namespace {

constexpr std::uint32_t most_time_columns = 4096;
constexpr std::size_t most_time_rows = 1000;

Error no_stretch(std::string message) {
  return Error{ErrorCode::invalid_argument, std::move(message), {}, std::nullopt};
}

// Clients ask for what gprof/metrics told them: the end may be rounded.
Expected<void> check_stretch(const TimelineParams& params, const Dimensions& dimensions) {
  if (!params.from && !params.to) return {};
  if (!(dimensions.slice_width > 0)) {
    return no_stretch("the profile does not tell when its samples were taken");
  }
  const double from = params.from.value_or(0);
  const double to = params.to.value_or(dimensions.length);
  const double slack = dimensions.slice_width;
  const bool is_inside = from >= 0 && to <= dimensions.length + slack && from < to;
  if (std::isfinite(from) && std::isfinite(to) && is_inside) return {};
  return no_stretch(fmt::format("the stretch {} s to {} s is not one of the run, which took {} s",
                                from, to, dimensions.length));
}

}  // namespace

Expected<TimelineResult> time_line(const LoadedProgram& program, const TimelineParams& params) {
  const Snapshot& snapshot = *program.snapshot;
  TRY(check_stretch(params, snapshot.dimensions()));
  const bool by_thread = params.rows == RowsOf::threads;
  TimelineQuery query;
  query.rows = by_thread ? gprof::TimelineRows::threads : gprof::TimelineRows::processes;
  query.from = params.from.value_or(0);
  query.to = std::min(params.to.value_or(0), snapshot.dimensions().length);
  query.columns = std::clamp(params.columns, std::uint32_t{1}, most_time_columns);
  query.most_rows = most_time_rows;
  TRY_ASSIGN(Timeline line, timeline_of(snapshot, query));
  TimelineResult result;
  result.program = program.name;
  result.metric = snapshot.cost_metric().name;
  result.unit = snapshot.cost_metric().unit;
  result.from = line.from;
  result.to = line.to;
  for (TimelineRow& row : line.rows) {
    TimelineRowData& data = result.rows.emplace_back();
    data.process = row.process;
    if (by_thread) data.thread = row.thread;
    data.name = std::move(row.name);
    data.total = row.total;
    data.values = std::move(row.values);
    for (std::size_t i = 0; i < activity_count; ++i) {
      if (row.activities[i].empty()) continue;
      data.activities.push_back({activity_at(i), std::move(row.activities[i])});
    }
  }
  result.omitted_rows = line.omitted;
  result.untimed = line.untimed;
  if (!(snapshot.dimensions().slice_width > 0)) {
    result.untimed = snapshot.profile().seconds(snapshot.profile().program_ticks());
  }
  return result;
}

}  // namespace gprof::lsp
