// Samples in the program's own code that were spent in the kernel: page faults, system calls and
// interrupts, at the instruction that caused or met them. They are part of the self time there.
//
// Known only if the collector of every run marked them: the share of some runs would be too low.
// Units: ticks. Ownership: owns its data. Thread contract: a value type.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "engine/gmon/sidecar.h"
#include "engine/support/snapshot_file.h"
#include "engine/support/units.h"

namespace gprof {

class KernelSamples {
 public:
  // Adds a run, whose own code is in `own_modules`.
  void add(const Sidecar& sidecar, const std::vector<bool>& own_modules);
  // Adds a run that does not mark them: from then on, none are known.
  void add_unknown();

  // The kernel samples in the range, rounded as by Samples::in(); 0 if unknown.
  [[nodiscard]] Ticks in(AddressRange range) const;
  // One standard deviation of the share of `kernel` samples in `all`. The tick places kernel
  // samples in groups, so the error is larger than that of as many single samples.
  [[nodiscard]] double share_error(Ticks kernel, Ticks all) const;
  // One standard deviation of their number.
  [[nodiscard]] Ticks error_of(Ticks kernel) const;

  // All of it, to or from a stored index.
  template <typename Self, typename Stream>
  static void exchange(Self& self, Stream& stream) {
    stream.number(self.known_);
    exchange_map(self.units_, stream);
    for (auto* sum : {&self.kernel_, &self.others_}) {
      stream.number(sum->samples);
      stream.number(sum->excess_variance);
    }
  }

 private:
  struct Sum {
    Ticks samples = 0;
    double excess_variance = 0;

    void add(Ticks more, double excess) {
      samples += more;
      excess_variance += excess;
    }
    // The variance of a part of them that has `ticks`.
    [[nodiscard]] double variance_of(Ticks ticks) const {
      return samples > 0 ? ticks * (1 + excess_variance / samples) : ticks;
    }
  };

  bool known_ = true;
  std::map<std::uint64_t, Ticks> units_;  // by place, as Samples divides addresses
  Sum kernel_;
  Sum others_;
};

}  // namespace gprof
