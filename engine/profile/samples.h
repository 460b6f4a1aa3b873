// The samples of a profile's histograms, shared out to ranges of addresses in proportion.
//
// Formula (GNU gprof's, so that the figures agree to the last digit): addresses are taken in units
// of two bytes. A histogram of n bins over [low, high) has scale = ((high - low) / 2) / n units a
// bin; bin i covers the units [low/2 + trunc(scale * i), low/2 + trunc(scale * (i + 1))); a range
// that overlaps it by k units gets k * count / scale ticks. Where scale is not integral (glibc's
// usually is not) the shares of a bin do not add up to its count exactly; Profile::rounding_ticks()
// accounts for the difference.
//
// Units: ticks. Ownership: owns its bins. Thread contract: immutable.
#pragma once

#include <span>
#include <vector>

#include "engine/gmon/raw_profile.h"
#include "engine/support/flat_array.h"
#include "engine/support/units.h"

namespace gprof {

// A bin that was hit, in units of two bytes.
struct SampledBin {
  std::uint64_t low_unit = 0;
  std::uint64_t high_unit = 0;  // exclusive; may equal low_unit where a bin is narrower than a unit
  Ticks count = 0;
  double scale = 1;

  // The ticks of the part of this bin that lies in [from_unit, to_unit).
  [[nodiscard]] Ticks share(std::uint64_t from_unit, std::uint64_t to_unit) const;
};

class Samples {
 public:
  Samples() = default;
  explicit Samples(const std::vector<Histogram>& histograms);

  // Ascending and disjoint; bins without samples are left out.
  [[nodiscard]] std::span<const SampledBin> bins() const { return bins_; }
  [[nodiscard]] Ticks total() const { return total_; }
  [[nodiscard]] Ticks in(AddressRange range) const;

  // All of it, to or from a stored index.
  template <typename Self, typename Stream>
  static void exchange(Self& self, Stream& stream) {
    stream.array(self.bins_);
    stream.number(self.total_);
  }
  // What exchange() read can be counted with.
  [[nodiscard]] bool is_sound() const;

 private:
  FlatArray<SampledBin> bins_;
  Ticks total_ = 0;
};

inline constexpr std::uint64_t bytes_per_unit = 2;

}  // namespace gprof
