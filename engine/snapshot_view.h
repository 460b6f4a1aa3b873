// Views of a snapshot: the same program and profiles by another metric of cost, or of a selection
// of processes, threads and time. This is the one door through which anything is narrowed: a view
// is a snapshot, and all that can be asked of one can be asked of a view.
//
// Thread contract: any thread.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/activity.h"
#include "engine/selection.h"
#include "engine/snapshot.h"
#include "engine/support/expected.h"

namespace gprof {

// The snapshot of everything, of the first metric of cost, that a view was made of; itself if it is
// none.
[[nodiscard]] std::shared_ptr<const Snapshot> whole_of(const std::shared_ptr<const Snapshot>& view);

// A view of whole_of(snapshot). `cost`: a metric of cost; empty: the first. The newest views of a
// snapshot are kept. The snapshot itself where that is what is asked for. Errors: those of
// check_selection(); invalid_argument where the profile has no such metric of cost, naming those
// that it has; those of reading profiles that are not kept in memory.
[[nodiscard]] Expected<std::shared_ptr<const Snapshot>> view_of(
    const std::shared_ptr<const Snapshot>& snapshot, std::string_view cost,
    const Selection& selection);

enum class TimelineRows : std::uint8_t { threads, processes };

struct TimelineQuery {
  TimelineRows rows = TimelineRows::threads;
  Seconds from = 0;
  Seconds to = 0;  // 0: to the end
  std::size_t columns = 200;
  std::size_t most_rows = 1000;
};

struct TimelineRow {
  std::uint32_t process = 0;
  std::uint32_t thread = 0;  // 0 in rows of processes
  std::string name;
  Seconds total = 0;            // in the metric's unit, between from and to
  std::vector<Seconds> values;  // by column
  // By place_of(), then by column: what the values are made of, by a metric of waiting; empty by
  // others, and where it does not occur. Idle waiting is told even if no value has it.
  std::array<std::vector<Seconds>, activity_count> activities;
};

struct Timeline {
  Seconds from = 0;
  Seconds to = 0;
  std::vector<TimelineRow> rows;  // as in Dimensions
  std::size_t omitted = 0;        // rows beyond most_rows; those with the least are left out
  Seconds untimed = 0;            // of samples whose time is not known
};

// What a view's threads or processes cost, column by column. A slice that lies in two columns is
// shared among them. Errors: those of recording_of().
[[nodiscard]] Expected<Timeline> timeline_of(const Snapshot& view, const TimelineQuery& query);

// What views of it are made from: read again where it is not in memory, and kept. Errors: stale if
// a file was written since it was first read; those of reading it; invalid_argument if nothing can
// be distinguished.
[[nodiscard]] Expected<std::shared_ptr<const Recording>> recording_of(const Snapshot& snapshot);

}  // namespace gprof
