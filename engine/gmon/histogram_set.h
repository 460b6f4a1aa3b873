// Histograms that belong together: of equal ranges, which add up, or of disjoint ones, and all of
// one bin width. Shared by the reader (records of one file) and the sum (histograms of many).
//
// Units: a bin width is in units of 2 bytes, cut to whole units before the division, as GNU gprof
// takes it. Thread contract: one thread. Errors: conflict() tells why a histogram does not fit.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/gmon/raw_profile.h"

namespace gprof {

class HistogramSet {
 public:
  // Why bins over the range cannot join the set, as the second half of a sentence that begins with
  // what they are; none when they can. `bin_count` must not be 0.
  [[nodiscard]] std::optional<std::string> conflict(AddressRange range,
                                                    std::uint64_t bin_count) const;
  // Preconditions: not conflict(), at least one bin. Counts saturate.
  void add(Histogram&& histogram);
  void add(const Histogram& histogram);  // copies its bins only where the range is new

  [[nodiscard]] bool empty() const { return by_low_.empty(); }
  // Ascending; the set is empty afterwards.
  [[nodiscard]] std::vector<Histogram> take();

 private:
  // Whether the range was there to add to.
  bool add_to_equal(const Histogram& histogram);

  std::map<Address, Histogram> by_low_;
  double bin_width_ = 0;  // of the histogram that came first
};

// Whether the range can hold bins at all: not reversed. Bins over an empty range count samples
// that belong to nothing.
[[nodiscard]] bool can_hold_bins(AddressRange range);

}  // namespace gprof
