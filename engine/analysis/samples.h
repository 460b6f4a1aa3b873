// The samples of a profile's histograms, distributed proportionally to address ranges.
//
// Formula (GNU gprof's, so that the figures agree to the last digit): addresses are in units of two
// bytes. A histogram of n bins over [low, high) has scale = ((high - low) / 2) / n units per bin;
// bin i covers the units [low/2 + trunc(scale * i), low/2 + trunc(scale * (i + 1))); a range that
// overlaps it by k units gets k * count / scale ticks. If scale is not integral (glibc's usually is
// not) the shares of a bin do not add up to its count exactly; FunctionCosts::rounding_ticks()
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

// A nonempty bin, in units of two bytes.
struct SampledBin {
  std::uint64_t low_unit = 0;
  std::uint64_t high_unit = 0;  // exclusive; may equal low_unit if a bin is narrower than a unit
  Ticks count = 0;
  double scale = 1;

  // This bin's ticks for the part of it in [from_unit, to_unit).
  [[nodiscard]] Ticks share(std::uint64_t from_unit, std::uint64_t to_unit) const;
};

class Samples {
 public:
  Samples() = default;
  explicit Samples(const std::vector<Histogram>& histograms);

  // Ascending and disjoint; omits bins without samples.
  [[nodiscard]] std::span<const SampledBin> bins() const { return bins_; }
  [[nodiscard]] Ticks total() const { return total_; }
  [[nodiscard]] Ticks in(AddressRange range) const;

  // All of it, to or from a stored index.
  template <typename Self, typename Stream>
  static void exchange(Self& self, Stream& stream) {
    stream.array(self.bins_);
    stream.number(self.total_);
  }
  // Whether what exchange() read can be computed with.
  [[nodiscard]] bool is_sound() const;

 private:
  FlatArray<SampledBin> bins_;
  Ticks total_ = 0;
};

// Samples(histograms).total(), without distributing them.
[[nodiscard]] Ticks total_of(const std::vector<Histogram>& histograms);

inline constexpr std::uint64_t bytes_per_unit = 2;

}  // namespace gprof
