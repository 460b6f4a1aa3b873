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

// Size of one bin if all have the same whole number of units; else 0, as for collectors that cut a
// range into a number of bins that does not divide it.
std::uint64_t exact_bin_size(AddressRange range, std::uint64_t bin_count) {
  if (bin_count == 0 || range.size() % bin_count != 0) return 0;
  const std::uint64_t size = range.size() / bin_count;
  return size % unit_size == 0 ? size : 0;
}

// Whether the bin edges of both coincide wherever the ranges overlap.
bool on_one_grid(AddressRange a, std::uint64_t a_bins, AddressRange b, std::uint64_t b_bins) {
  const std::uint64_t size = exact_bin_size(a, a_bins);
  if (size == 0 || size != exact_bin_size(b, b_bins)) return false;
  const std::uint64_t distance = a.low < b.low ? b.low - a.low : a.low - b.low;
  return distance % size == 0;
}

std::string range_text(AddressRange range) {
  return fmt::format("[{:#x}, {:#x})", range.low.value, range.high.value);
}

}  // namespace

bool can_hold_bins(AddressRange range) { return range.low <= range.high; }

HistogramRanges::ByLow::const_iterator HistogramRanges::first_overlap(AddressRange range) const {
  const auto next = by_low_.lower_bound(range.low);
  if (next != by_low_.begin() && std::prev(next)->second.high > range.low) return std::prev(next);
  if (next == by_low_.end()) return next;
  return next->first < range.high || next->first == range.low ? next : by_low_.end();
}

std::optional<std::string> HistogramRanges::conflict(AddressRange range,
                                                     std::uint64_t bin_count) const {
  if (by_low_.empty()) return std::nullopt;
  const double width = bin_width(range, bin_count);
  if (std::abs(width - bin_width_) > largest_relative_difference * bin_width_) {
    return fmt::format("has bins of {:.6g} bytes where those before have {:.6g}",
                       width * double{unit_size}, bin_width_ * double{unit_size});
  }
  for (auto known = first_overlap(range); known != by_low_.end(); ++known) {
    const AddressRange other{known->first, known->second.high};
    if (other.low >= range.high && other.low != range.low) break;
    // Bins of almost equal width may still differ by one in number over a long range.
    if (other == range && known->second.count == bin_count) return std::nullopt;
    if (!on_one_grid(range, bin_count, other, known->second.count)) {
      return "overlaps the one over " + range_text(other) + ", whose bins begin elsewhere";
    }
  }
  return std::nullopt;
}

void HistogramRanges::add(AddressRange range, std::uint64_t bin_count) {
  if (by_low_.empty()) bin_width_ = bin_width(range, bin_count);
  auto known = first_overlap(range);
  if (known == by_low_.end()) {
    by_low_.try_emplace(range.low, Bins{range.high, bin_count});
    return;
  }
  if (known->first <= range.low && range.high <= known->second.high) return;
  const std::uint64_t size_of_bin = exact_bin_size(range, bin_count);
  while (known != by_low_.end() && known->first < range.high) {
    range.low = std::min(range.low, known->first);
    range.high = std::max(range.high, known->second.high);
    known = by_low_.erase(known);
  }
  by_low_.try_emplace(range.low, Bins{range.high, range.size() / size_of_bin});
}

std::vector<HistogramRanges::Union> HistogramRanges::unions() const {
  std::vector<Union> all;
  all.reserve(by_low_.size());
  for (const auto& [low, bins] : by_low_) all.push_back({{low, bins.high}, bins.count});
  return all;
}

std::optional<HistogramSet::Target> HistogramSet::known_target(AddressRange range) {
  auto next = by_low_.upper_bound(range.low);
  if (next == by_low_.begin()) return std::nullopt;
  Histogram& known = std::prev(next)->second;
  if (range.high > known.high) return std::nullopt;
  if (range.low == known.low) return Target{known.bins, 0};
  if (range.low >= known.high) return std::nullopt;
  const std::uint64_t size_of_bin = exact_bin_size({known.low, known.high}, known.bins.size());
  return Target{known.bins, static_cast<std::size_t>((range.low - known.low) / size_of_bin)};
}

bool HistogramSet::overlaps_known(AddressRange range) const {
  const auto next = by_low_.lower_bound(range.low);
  if (next != by_low_.end() && next->first < range.high) return true;
  return next != by_low_.begin() && std::prev(next)->second.high > range.low;
}

HistogramSet::Target HistogramSet::target_for(AddressRange range, std::uint64_t bin_count) {
  if (loose_bins_ > known_bins_) lay_out();
  ranges_.add(range, bin_count);
  if (const auto target = known_target(range)) return *target;
  Histogram histogram{range.low, range.high, BinCounts(bin_count)};
  if (overlaps_known(range)) {
    loose_bins_ += bin_count;
    return {loose_.emplace_back(std::move(histogram)).bins, 0};
  }
  known_bins_ += bin_count;
  return {by_low_.try_emplace(range.low, std::move(histogram)).first->second.bins, 0};
}

void HistogramSet::add(const Histogram& histogram) {
  const Target target = target_for({histogram.low, histogram.high}, histogram.bins.size());
  target.bins.add(histogram.bins, target.first);
}

void HistogramSet::add(const StoredHistogram& histogram, ByteOrder order) {
  const Target target = target_for(histogram.range, bin_count(histogram.bins));
  target.bins.add_stored(histogram.bins, order, target.first);
}

void HistogramSet::lay_out() {
  std::vector<Histogram> parts = std::exchange(loose_, {});
  for (auto& [low, histogram] : by_low_) parts.push_back(std::move(histogram));
  std::ranges::stable_sort(parts, {}, &Histogram::low);
  by_low_.clear();
  known_bins_ = loose_bins_ = 0;
  auto part = parts.begin();
  for (const HistogramRanges::Union& all : ranges_.unions()) {
    // Each union has parts, and the first one starts it.
    Histogram whole = std::move(*part++);
    const std::uint64_t size_of_bin = exact_bin_size({whole.low, whole.high}, whole.bins.size());
    whole.high = all.range.high;
    whole.bins.resize(all.bin_count);
    for (; part != parts.end() && part->low < all.range.high; ++part) {
      whole.bins.add(part->bins, (part->low - whole.low) / size_of_bin);
    }
    known_bins_ += all.bin_count;
    by_low_.try_emplace(whole.low, std::move(whole));
  }
}

std::vector<Histogram> HistogramSet::take() {
  if (!loose_.empty()) lay_out();
  std::vector<Histogram> histograms;
  histograms.reserve(by_low_.size());
  for (auto& [low, histogram] : by_low_) histograms.push_back(std::move(histogram));
  *this = HistogramSet();
  return histograms;
}

}  // namespace gprof
