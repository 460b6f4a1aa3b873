#include "engine/gmon/histogram_set.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

namespace gprof {
namespace {

constexpr std::uint64_t unit_size = 2;
constexpr double largest_relative_difference = 1e-6;

double bin_width(AddressRange range, std::uint64_t bin_count) {
  const std::uint64_t whole_units = range.size() / unit_size;
  return static_cast<double>(whole_units) / static_cast<double>(bin_count);
}

std::string range_text(AddressRange range) {
  return fmt::format("[{:#x}, {:#x})", range.low.value, range.high.value);
}

}  // namespace

bool can_hold_bins(AddressRange range) { return range.low <= range.high; }

std::optional<std::string> HistogramRanges::conflict(AddressRange range,
                                                     std::uint64_t bin_count) const {
  if (by_low_.empty()) return std::nullopt;
  const double width = bin_width(range, bin_count);
  if (std::abs(width - bin_width_) > largest_relative_difference * bin_width_) {
    return fmt::format("has bins of {:.6g} bytes where those before have {:.6g}",
                       width * double{unit_size}, bin_width_ * double{unit_size});
  }
  auto next = by_low_.lower_bound(range.low);
  if (next != by_low_.end()) {
    const AddressRange other{next->first, next->second.high};
    // Bins of almost equal width may still differ by one in number over a long range.
    if (other == range && next->second.bin_count == bin_count) return std::nullopt;
    if (other.low < range.high) return "overlaps the one over " + range_text(other);
  }
  if (next != by_low_.begin()) {
    const auto before = std::prev(next);
    if (before->second.high > range.low) {
      return "overlaps the one over " + range_text({before->first, before->second.high});
    }
  }
  return std::nullopt;
}

void HistogramRanges::add(AddressRange range, std::uint64_t bin_count) {
  if (by_low_.empty()) bin_width_ = bin_width(range, bin_count);
  by_low_.try_emplace(range.low, Known{range.high, bin_count});
}

BinCounts& HistogramSet::bins_over(AddressRange range, std::uint64_t bin_count) {
  ranges_.add(range, bin_count);
  const auto [entry, is_new] = by_low_.try_emplace(range.low);
  Histogram& histogram = entry->second;
  if (is_new) {
    histogram.low = range.low;
    histogram.high = range.high;
    histogram.bins.resize(bin_count);
  }
  return histogram.bins;
}

void HistogramSet::add(const Histogram& histogram) {
  bins_over({histogram.low, histogram.high}, histogram.bins.size()).add(histogram.bins);
}

void HistogramSet::add(const StoredHistogram& histogram, ByteOrder order) {
  bins_over(histogram.range, bin_count(histogram.bins)).add_stored(histogram.bins, order);
}

std::vector<Histogram> HistogramSet::take() {
  std::vector<Histogram> histograms;
  histograms.reserve(by_low_.size());
  for (auto& [low, histogram] : by_low_) histograms.push_back(std::move(histogram));
  *this = HistogramSet();
  return histograms;
}

}  // namespace gprof
