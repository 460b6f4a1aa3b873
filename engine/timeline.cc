#include <algorithm>
#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <utility>

#include "engine/narrowed_run.h"
#include "engine/recording.h"
#include "engine/snapshot_view.h"
#include "engine/waiting.h"

namespace gprof {
namespace {

// What a thread cost in a stretch of time.
struct TimedCost {
  std::uint32_t thread = no_thread;  // or it is not known whose it is, or when it was
  Seconds from = 0;
  Seconds to = 0;
  double cost = 0;                   // of all of the slice
  double per_second = 0;             // from `from` to `to`
  std::optional<Activity> activity;  // by a metric of waiting
};

class TimelineMaker {
 public:
  TimelineMaker(const Snapshot& view, const Recording& recording, const TimelineQuery& query)
      : view_(view),
        recording_(recording),
        query_(query),
        width_((query.to - query.from) / columns()) {
    timeline_.from = query.from;
    timeline_.to = query.to;
    if (query.rows == TimelineRows::threads) return;
    for (const RecordedProcess& process : view.dimensions().processes) {
      process_names_.try_emplace(process.process, &process.name);
    }
  }

  [[nodiscard]] Timeline make();

 private:
  using Key = std::pair<std::uint32_t, std::uint32_t>;  // process, thread

  [[nodiscard]] double columns() const { return static_cast<double>(query_.columns); }
  [[nodiscard]] Key key_of(const RecordedRun& run, const SidecarThread& thread) const;
  void add_row(const RecordedRun& run, const SidecarThread& thread);
  // Null if it is left out.
  [[nodiscard]] TimelineRow* row_of(const RecordedRun& run, const SidecarThread& thread);
  // Of waiting, the file is that of CPU time.
  template <typename Visit>
  void for_each_part(const ProfileFile& file, const Visit& visit) const;
  // Of each chosen part in the asked time.
  template <typename Visit>
  void for_each_cost(const RecordedRun& run, const ProfileFile& file, const Visit& visit) const;
  [[nodiscard]] Seconds length_of(const TimedCost& cost, Seconds begin, Seconds width) const;
  [[nodiscard]] bool counts(const TimedCost& cost) const {
    return cost.activity != Activity::idle || view_.selection().with_idle;
  }
  void add_totals(const RecordedRun& run, const ProfileFile& file);
  void choose_rows();
  void add_values(const RecordedRun& run, const ProfileFile& file);
  void add_columns(std::vector<Seconds>& values, const TimedCost& cost) const;

  const Snapshot& view_;
  const Recording& recording_;
  const TimelineQuery& query_;
  Seconds width_;
  Timeline timeline_;
  std::map<Key, std::size_t> places_;
  std::map<std::uint32_t, const std::string*> process_names_;  // if rows are processes
};

TimelineMaker::Key TimelineMaker::key_of(const RecordedRun& run,
                                         const SidecarThread& thread) const {
  const std::uint32_t process = thread.process != 0 ? thread.process : run.process;
  return {process, query_.rows == TimelineRows::threads ? thread.thread : 0};
}

void TimelineMaker::add_row(const RecordedRun& run, const SidecarThread& thread) {
  const Key key = key_of(run, thread);
  if (!places_.try_emplace(key, timeline_.rows.size()).second) return;
  TimelineRow& row = timeline_.rows.emplace_back();
  row.process = key.first;
  row.thread = key.second;
  if (query_.rows == TimelineRows::threads) {
    row.name = thread.name;
    return;
  }
  const auto known = process_names_.find(key.first);
  if (known != process_names_.end()) row.name = *known->second;
}

TimelineRow* TimelineMaker::row_of(const RecordedRun& run, const SidecarThread& thread) {
  const auto place = places_.find(key_of(run, thread));
  return place == places_.end() ? nullptr : &timeline_.rows[place->second];
}

void TimelineMaker::add_columns(std::vector<Seconds>& values, const TimedCost& cost) const {
  values.resize(query_.columns);
  const double last = columns() - 1;
  const auto column_at = [&](Seconds time) {
    return static_cast<std::size_t>(std::clamp((time - query_.from) / width_, 0.0, last));
  };
  for (std::size_t column = column_at(cost.from); column <= column_at(cost.to); ++column) {
    const Seconds low = query_.from + static_cast<double>(column) * width_;
    const Seconds share = std::min(cost.to, low + width_) - std::max(cost.from, low);
    if (share > 0) values[column] += cost.per_second * share;
  }
}

template <typename Visit>
void TimelineMaker::for_each_part(const ProfileFile& file, const Visit& visit) const {
  const std::string& metric = view_.cost_metric().name;
  if (is_of_waiting(metric)) {
    for_each_activity(file, metric, visit);
    return;
  }
  const double rate = file.raw.rate > 0 ? file.raw.rate : 1;
  for (const SidecarPart& part : file.sidecar->sample_parts) {
    visit(part, static_cast<double>(part.count) / rate, std::nullopt);
  }
}

// A long wait is kept in a few slices, in each what it lasted from there to the next one.
Seconds TimelineMaker::length_of(const TimedCost& cost, Seconds begin, Seconds width) const {
  if (!cost.activity || cost.activity == Activity::running || cost.cost <= width) return width;
  return std::max(width, std::min(cost.cost, view_.dimensions().length - begin));
}

template <typename Visit>
void TimelineMaker::for_each_cost(const RecordedRun& run, const ProfileFile& file,
                                  const Visit& visit) const {
  const Sidecar& sidecar = *file.sidecar;
  const RunPart chosen(run, file, view_.selection());
  if (chosen.is_nothing()) return;
  const Seconds width = static_cast<double>(sidecar.slice_width) / nanoseconds_a_second;
  for_each_part(file, [&](const SidecarPart& part, double value, std::optional<Activity> activity) {
    if (!chosen.has(part)) return;
    TimedCost cost{no_thread, 0, 0, value, 0, activity};
    if (part.slice == no_slice || !(width > 0) || part.thread >= sidecar.threads.size()) {
      visit(cost);
      return;
    }
    const Seconds begin = run.begin + width * part.slice;
    const Seconds length = length_of(cost, begin, width);
    cost.thread = part.thread;
    cost.from = std::max(begin, query_.from);
    cost.to = std::min(begin + length, query_.to);
    cost.per_second = value / length;
    if (cost.to > cost.from) visit(cost);
  });
}

void TimelineMaker::add_totals(const RecordedRun& run, const ProfileFile& file) {
  for (const SidecarThread& thread : file.sidecar->threads) add_row(run, thread);
  for_each_cost(run, file, [&](const TimedCost& cost) {
    if (!counts(cost)) return;
    if (cost.thread == no_thread) {
      timeline_.untimed += cost.cost;
    } else {
      TimelineRow* row = row_of(run, file.sidecar->threads[cost.thread]);
      row->total += cost.per_second * (cost.to - cost.from);
    }
  });
}

void TimelineMaker::add_values(const RecordedRun& run, const ProfileFile& file) {
  std::vector<TimelineRow*> rows;
  for (const SidecarThread& thread : file.sidecar->threads) rows.push_back(row_of(run, thread));
  for_each_cost(run, file, [&](const TimedCost& cost) {
    if (cost.thread == no_thread || rows[cost.thread] == nullptr) return;
    TimelineRow& row = *rows[cost.thread];
    if (counts(cost)) add_columns(row.values, cost);
    if (!cost.activity || !(cost.cost > 0)) return;
    add_columns(row.activities[place_of(*cost.activity)], cost);
  });
}

void TimelineMaker::choose_rows() {
  auto& rows = timeline_.rows;
  if (rows.size() > query_.most_rows) {
    std::vector<double> totals;
    for (const TimelineRow& row : rows) totals.push_back(row.total);
    const auto least = totals.begin() + static_cast<std::ptrdiff_t>(query_.most_rows);
    std::nth_element(totals.begin(), least, totals.end(), std::greater<>());
    timeline_.omitted = rows.size() - query_.most_rows;
    std::size_t to_drop = timeline_.omitted;
    std::erase_if(rows, [&, bound = *least](const TimelineRow& row) {
      if (to_drop == 0 || row.total > bound) return false;
      --to_drop;
      return true;
    });
  }
  places_.clear();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows[i].values.resize(query_.columns);
    places_.emplace(Key{rows[i].process, rows[i].thread}, i);
  }
}

template <typename Add>
void for_each_file(const Recording& recording, const Snapshot& view, const Add& add) {
  for (const RecordedRun& run : recording.runs()) {
    const ProfileFile* file = run.divided_as(view.cost_metric().name);
    if (file != nullptr && file->sidecar) add(run, *file);
  }
}

Timeline TimelineMaker::make() {
  for_each_file(recording_, view_,
                [&](const RecordedRun& run, const ProfileFile& file) { add_totals(run, file); });
  choose_rows();
  for_each_file(recording_, view_,
                [&](const RecordedRun& run, const ProfileFile& file) { add_values(run, file); });
  return std::move(timeline_);
}

}  // namespace

Expected<Timeline> timeline_of(const Snapshot& view, const TimelineQuery& query) {
  TimelineQuery asked = query;
  if (!(asked.to > asked.from)) asked.to = view.dimensions().length;
  asked.columns = std::max<std::size_t>(asked.columns, 1);
  const Dimensions& dimensions = view.dimensions();
  const bool has_rows = !dimensions.threads.empty() || dimensions.slice_width > 0;
  if (!has_rows || !(asked.to > asked.from)) return Timeline{asked.from, asked.to, {}, 0, 0};
  TRY_ASSIGN(const auto recording, recording_of(view));
  return TimelineMaker(view, *recording, asked).make();
}

}  // namespace gprof
