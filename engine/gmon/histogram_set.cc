#include "engine/gmon/histogram_set.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "engine/support/saturating.h"

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

std::optional<std::string> HistogramSet::conflict(AddressRange range,
                                                  std::uint64_t bin_count) const {
  if (empty()) return std::nullopt;
  const double width = bin_width(range, bin_count);
  if (std::abs(width - bin_width_) > largest_relative_difference * bin_width_) {
    return fmt::format("has bins of {:.6g} bytes where those before have {:.6g}",
                       width * double{unit_size}, bin_width_ * double{unit_size});
  }
  auto next = by_low_.lower_bound(range.low);
  if (next != by_low_.end()) {
    const AddressRange other{next->second.low, next->second.high};
    // Bins of almost equal width may still differ by one in number over a long range.
    if (other == range && next->second.bins.size() == bin_count) return std::nullopt;
    if (other.low < range.high) return "overlaps the one over " + range_text(other);
  }
  if (next != by_low_.begin()) {
    const Histogram& before = std::prev(next)->second;
    if (before.high > range.low) {
      return "overlaps the one over " + range_text({before.low, before.high});
    }
  }
  return std::nullopt;
}

bool HistogramSet::add_to_equal(const Histogram& histogram) {
  if (empty()) bin_width_ = bin_width({histogram.low, histogram.high}, histogram.bins.size());
  const auto found = by_low_.find(histogram.low);
  if (found == by_low_.end()) return false;
  std::vector<std::uint64_t>& bins = found->second.bins;
  const std::size_t count = std::min(bins.size(), histogram.bins.size());
  for (std::size_t i = 0; i < count; ++i) bins[i] = saturating_add(bins[i], histogram.bins[i]);
  return true;
}

void HistogramSet::add(Histogram&& histogram) {
  if (add_to_equal(histogram)) return;
  const Address low = histogram.low;
  by_low_.emplace(low, std::move(histogram));
}

void HistogramSet::add(const Histogram& histogram) {
  if (!add_to_equal(histogram)) by_low_.emplace(histogram.low, histogram);
}

std::vector<Histogram> HistogramSet::take() {
  std::vector<Histogram> histograms;
  histograms.reserve(by_low_.size());
  for (auto& [low, histogram] : by_low_) histograms.push_back(std::move(histogram));
  by_low_.clear();
  return histograms;
}

}  // namespace gprof
