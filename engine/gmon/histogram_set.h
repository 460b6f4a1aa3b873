// Histograms that belong together: all with one bin width, over ranges that are equal, disjoint, or
// on a common grid. Shared by the reader (records of one file) and the sum (histograms of many).
//
// Equal ranges add up, disjoint ones stay separate. Overlapping ranges are merged into their union
// if their bin edges coincide, so that each sample keeps its bin; other overlaps are refused, as by
// GNU gprof. A union has no bin that none of its histograms had, whatever addresses a file claims.
//
// Units: a bin width is in units of 2 bytes, truncated to whole units before the division, as in
// GNU gprof. Thread contract: one thread. Errors: conflict() returns why a histogram does not fit.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/gmon/encoded_profile.h"
#include "engine/gmon/raw_profile.h"

namespace gprof {

// The ranges of such histograms, without counts. Overlapping ranges become one.
class HistogramRanges {
 public:
  // Why bins over the range cannot be added, as the second half of a sentence that starts by
  // describing them; none if they can. `bin_count` must not be 0.
  [[nodiscard]] std::optional<std::string> conflict(AddressRange range,
                                                    std::uint64_t bin_count) const;
  // Preconditions: not conflict(), at least one bin.
  void add(AddressRange range, std::uint64_t bin_count);

  struct Union {
    AddressRange range;
    std::uint64_t bin_count = 0;
  };
  // Ascending, disjoint.
  [[nodiscard]] std::vector<Union> unions() const;

 private:
  struct Bins {
    Address high;
    std::uint64_t count = 0;
  };
  using ByLow = std::map<Address, Bins>;

  // The first one that overlaps the range or starts where it does; else end().
  [[nodiscard]] ByLow::const_iterator first_overlap(AddressRange range) const;

  ByLow by_low_;
  double bin_width_ = 0;  // of the first histogram
};

class HistogramSet {
 public:
  // See HistogramRanges.
  [[nodiscard]] std::optional<std::string> conflict(AddressRange range,
                                                    std::uint64_t bin_count) const {
    return ranges_.conflict(range, bin_count);
  }
  // Preconditions: not conflict(), at least one bin. Counts saturate. Amortised time proportional
  // to the number of bins.
  void add(const Histogram& histogram);
  void add(const StoredHistogram& histogram, ByteOrder order);

  // Ascending. Leaves the set empty.
  [[nodiscard]] std::vector<Histogram> take();

 private:
  // Where to add counts: the bins from `first` on.
  struct Target {
    BinCounts& bins;
    std::size_t first = 0;
  };
  Target target_for(AddressRange range, std::uint64_t bin_count);
  [[nodiscard]] std::optional<Target> known_target(AddressRange range);
  [[nodiscard]] bool overlaps_known(AddressRange range) const;
  // Merges each union into one histogram.
  void lay_out();

  HistogramRanges ranges_;
  std::map<Address, Histogram> by_low_;  // disjoint; each within a union
  std::uint64_t known_bins_ = 0;         // in by_low_
  // Reach beyond what is in by_low_. Laid out once they hold as much as it does.
  std::vector<Histogram> loose_;
  std::uint64_t loose_bins_ = 0;
};

// Whether the range can hold bins at all: it is not reversed. Bins over an empty range count
// samples that belong to nothing.
[[nodiscard]] bool can_hold_bins(AddressRange range);

}  // namespace gprof
