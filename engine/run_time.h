// How long a profile's runs took, by the clock and on CPUs: waiting takes no samples.
//
// Runs that overlap, such as processes of one program, count once by the clock.
//
// Units: seconds. Thread contract: a value type.
#pragma once

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "engine/gmon/sidecar.h"
#include "engine/support/units.h"

namespace gprof {

struct RunTime {
  Seconds wall = 0;  // in which any of the runs was active
  Seconds cpu = 0;   // of all threads of all runs

  // Whether it mostly waited: the profile shows the smaller part of the elapsed time.
  [[nodiscard]] bool is_mostly_waiting() const { return cpu < wall / 3; }
};

class RunTimes {
 public:
  void add(const SidecarProcess& process);
  // A run without a sidecar.
  void add_unknown() { complete_ = false; }

  // All of it, to or from a stored index.
  template <typename Self, typename Stream>
  static void exchange(Self& self, Stream& stream) {
    stream.list(self.intervals_, [&](auto& interval) {
      stream.number(interval.first);
      stream.number(interval.second);
    });
    stream.number(self.cpu_nanoseconds_);
    stream.number(self.complete_);
  }

  // None if a run does not say, such as an imported one, or there is none.
  [[nodiscard]] std::optional<RunTime> sum() const;

 private:
  using Interval = std::pair<std::uint64_t, std::uint64_t>;  // nanoseconds of the realtime clock

  std::vector<Interval> intervals_;
  double cpu_nanoseconds_ = 0;
  bool complete_ = true;
};

}  // namespace gprof
