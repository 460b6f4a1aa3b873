// Histograms that belong together: all of one bin width, over ranges that are equal, disjoint, or
// lie on one grid. Shared by the reader (records of one file) and the sum (histograms of many).
//
// Equal ranges add up, disjoint ones stand side by side. Ranges that overlap are laid out over
// their union where the edges of their bins coincide, so that each sample keeps its bin; what else
// overlaps is refused, as by GNU gprof. A union has no bin that none of its histograms had,
// whatever addresses a file claims.
//
// Units: a bin width is in units of 2 bytes, cut to whole units before the division, as GNU gprof
// takes it. Thread contract: one thread. Errors: conflict() tells why a histogram does not fit.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/gmon/raw_profile.h"
#include "engine/gmon/stored_profile.h"

namespace gprof {

// The ranges of such histograms, without their counts. Ranges that overlap are one.
class HistogramRanges {
 public:
  // Why bins over the range cannot join, as the second half of a sentence that begins with what
  // they are; none when they can. `bin_count` must not be 0.
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

  // The first of those that share addresses with the range, or begin where it does; else end().
  [[nodiscard]] ByLow::const_iterator first_overlap(AddressRange range) const;

  ByLow by_low_;
  double bin_width_ = 0;  // of the histogram that came first
};

class HistogramSet {
 public:
  // See HistogramRanges.
  [[nodiscard]] std::optional<std::string> conflict(AddressRange range,
                                                    std::uint64_t bin_count) const {
    return ranges_.conflict(range, bin_count);
  }
  // Preconditions: not conflict(), at least one bin. Counts saturate. Takes time in proportion to
  // the bins, in the long run.
  void add(const Histogram& histogram);
  void add(const StoredHistogram& histogram, ByteOrder order);

  // Ascending; the set is empty afterwards.
  [[nodiscard]] std::vector<Histogram> take();

 private:
  // Bins that counts are to be added to, from the one at `first` on.
  struct Place {
    BinCounts& bins;
    std::size_t first = 0;
  };
  Place place_for(AddressRange range, std::uint64_t bin_count);
  [[nodiscard]] std::optional<Place> place_within_known(AddressRange range);
  [[nodiscard]] bool overlaps_known(AddressRange range) const;
  // Gives each union one histogram.
  void lay_out();

  HistogramRanges ranges_;
  std::map<Address, Histogram> by_low_;  // disjoint; each within a union
  std::uint64_t known_bins_ = 0;         // in them
  // Reach beyond what is in by_low_. Laid out when they hold as much as is there.
  std::vector<Histogram> loose_;
  std::uint64_t loose_bins_ = 0;
};

// Whether the range can hold bins at all: not reversed. Bins over an empty range count samples
// that belong to nothing.
[[nodiscard]] bool can_hold_bins(AddressRange range);

}  // namespace gprof
