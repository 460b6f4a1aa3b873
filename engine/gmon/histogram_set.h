// Histograms that belong together: of equal ranges, which add up, or of disjoint ones, and all of
// one bin width. Shared by the reader (records of one file) and the sum (histograms of many).
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

// The ranges of such histograms, without their counts.
class HistogramRanges {
 public:
  // Why bins over the range cannot join, as the second half of a sentence that begins with what
  // they are; none when they can. `bin_count` must not be 0.
  [[nodiscard]] std::optional<std::string> conflict(AddressRange range,
                                                    std::uint64_t bin_count) const;
  // Preconditions: not conflict(), at least one bin.
  void add(AddressRange range, std::uint64_t bin_count);

 private:
  struct Known {
    Address high;
    std::uint64_t bin_count = 0;
  };
  std::map<Address, Known> by_low_;
  double bin_width_ = 0;  // of the histogram that came first
};

class HistogramSet {
 public:
  // See HistogramRanges.
  [[nodiscard]] std::optional<std::string> conflict(AddressRange range,
                                                    std::uint64_t bin_count) const {
    return ranges_.conflict(range, bin_count);
  }
  // Preconditions: not conflict(), at least one bin. Counts saturate.
  void add(const Histogram& histogram);
  void add(const StoredHistogram& histogram, ByteOrder order);

  // Ascending; the set is empty afterwards.
  [[nodiscard]] std::vector<Histogram> take();

 private:
  // The sums over the range, of zeros where it is new.
  BinCounts& bins_over(AddressRange range, std::uint64_t bin_count);

  HistogramRanges ranges_;
  std::map<Address, Histogram> by_low_;
};

// Whether the range can hold bins at all: not reversed. Bins over an empty range count samples
// that belong to nothing.
[[nodiscard]] bool can_hold_bins(AddressRange range);

}  // namespace gprof
