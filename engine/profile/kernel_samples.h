// The samples in the program's own code that are time in the kernel: of page faults, system calls
// and interrupts, at the instruction that caused or met them. They are part of the self time there.
//
// Known only if every run's collector marked them: a share of some runs would be too low.
// Units: ticks. Ownership: owns its data. Thread contract: a value type.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "engine/gmon/sidecar.h"
#include "engine/support/units.h"

namespace gprof {

class KernelSamples {
 public:
  // Adds a run, whose own code is in `own_modules`.
  void add(const Sidecar& sidecar, const std::vector<bool>& own_modules);
  // A run that says nothing about them: then none are known.
  void add_unknown();

  // Of samples in the range, with the rounding of Samples::in(); 0 also where nothing is known.
  [[nodiscard]] Ticks in(AddressRange range) const;
  // One standard deviation of the share that `kernel` samples have of a time of `all`. The kernel's
  // tick places them in groups, so it is larger than of as many single samples.
  [[nodiscard]] double share_error(Ticks kernel, Ticks all) const;
  // One standard deviation of their number.
  [[nodiscard]] Ticks error_of(Ticks kernel) const;

 private:
  struct Sum {
    Ticks samples = 0;
    double excess_variance = 0;

    void add(Ticks more, double excess) {
      samples += more;
      excess_variance += excess;
    }
    // Of so many of them.
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
