#include "engine/analysis/samples.h"

#include <algorithm>
#include <cmath>

#include "engine/support/stored_checks.h"

namespace gprof {
namespace {

bool is_usable(const Histogram& histogram) {
  return !histogram.bins.empty() && histogram.low <= histogram.high;
}

void append_sampled_bins(const Histogram& histogram, std::vector<SampledBin>& bins) {
  if (!is_usable(histogram)) return;
  const auto bin_count = static_cast<double>(histogram.bins.size());
  // Whole units: the division is meant to truncate.
  const std::uint64_t units = (histogram.high - histogram.low) / bytes_per_unit;
  const double scale = static_cast<double>(units) / bin_count;
  const std::uint64_t base = histogram.low.value / bytes_per_unit;
  histogram.bins.visit_used([&](std::size_t i, std::uint64_t count) {
    const auto index = static_cast<double>(i);
    bins.push_back({base + static_cast<std::uint64_t>(scale * index),
                    base + static_cast<std::uint64_t>(scale * (index + 1)),
                    static_cast<Ticks>(count), scale});
  });
}

}  // namespace

Ticks SampledBin::share(std::uint64_t from_unit, std::uint64_t to_unit) const {
  const std::uint64_t low = std::max(low_unit, from_unit);
  const std::uint64_t high = std::min(high_unit, to_unit);
  return high <= low ? 0 : static_cast<double>(high - low) * count / scale;
}

Samples::Samples(const std::vector<Histogram>& histograms) {
  std::vector<SampledBin> bins;
  for (const Histogram& histogram : histograms) append_sampled_bins(histogram, bins);
  // As they are, unless there are several histograms.
  if (!std::ranges::is_sorted(bins, {}, &SampledBin::low_unit)) {
    std::ranges::sort(bins, {}, &SampledBin::low_unit);
  }
  bins_ = std::move(bins);
  for (const SampledBin& bin : bins_) total_ += bin.count;
}

Ticks Samples::in(AddressRange range) const {
  if (range.empty()) return 0;
  const std::uint64_t from = range.low.value / bytes_per_unit;
  const std::uint64_t to = range.high.value / bytes_per_unit;
  Ticks ticks = 0;
  auto bin = std::partition_point(bins_.begin(), bins_.end(),
                                  [&](const SampledBin& b) { return b.high_unit <= from; });
  for (; bin != bins_.end() && bin->low_unit < to; ++bin) ticks += bin->share(from, to);
  return ticks;
}

Ticks total_of(const std::vector<Histogram>& histograms) {
  Ticks total = 0;
  for (const Histogram& histogram : histograms) {
    if (!is_usable(histogram)) continue;
    histogram.bins.visit_used(
        [&](std::size_t, std::uint64_t count) { total += static_cast<Ticks>(count); });
  }
  return total;
}

bool Samples::is_sound() const {
  return std::isfinite(total_) && holds_for_all(bins_.size(), [this](std::size_t i) {
           const SampledBin& bin = bins_[i];
           // Bins over an empty range have no units.
           const bool scaled = bin.scale > 0 || bin.low_unit == bin.high_unit;
           return bin.low_unit <= bin.high_unit && std::isfinite(bin.count) && scaled &&
                  std::isfinite(bin.scale) && (i == 0 || bins_[i - 1].low_unit <= bin.low_unit);
         });
}

}  // namespace gprof
