#include "engine/run_time.h"

#include <algorithm>

namespace gprof {

void RunTimes::add(const SidecarProcess& process) {
  if (process.start_time == 0 || process.end_time <= process.start_time) return add_unknown();
  intervals_.emplace_back(process.start_time, process.end_time);
  cpu_nanoseconds_ += static_cast<double>(process.cpu_time);
}

std::optional<RunTime> RunTimes::sum() const {
  if (!complete_ || intervals_.empty()) return std::nullopt;
  std::vector<Interval> ascending = intervals_;
  std::sort(ascending.begin(), ascending.end());
  double wall = 0;
  std::uint64_t covered_up_to = 0;
  for (const auto& [begin, end] : ascending) {
    const std::uint64_t from = std::max(begin, covered_up_to);
    if (end > from) wall += static_cast<double>(end - from);
    covered_up_to = std::max(covered_up_to, end);
  }
  return RunTime{wall / nanoseconds_a_second, cpu_nanoseconds_ / nanoseconds_a_second};
}

}  // namespace gprof
