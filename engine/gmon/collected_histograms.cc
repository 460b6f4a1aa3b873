// Histograms with bins as narrow as the format allows, to locate samples exactly, in files that do
// not grow with the text: only what was hit is written.
#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "engine/gmon/collected_module.h"
#include "engine/gmon/writer.h"
#include "engine/support/saturating.h"

namespace gprof {
namespace {

constexpr std::uint64_t bin_size = 2;
constexpr std::uint64_t whole_text_size = 128 << 10;
constexpr std::uint64_t window_size = 1 << 10;
// If this many windows are hit, or claimed to be, they are narrower: a bound on what a file may
// claim, at the price that GNU gprof cannot add such a profile to others.
constexpr std::size_t many_windows = 1 << 16;
constexpr std::uint64_t narrow_window_size = 64;
constexpr std::uint64_t largest_bin =
    max_records_a_count * std::numeric_limits<std::uint16_t>::max();

struct Bin {
  Address low;
  std::uint64_t count = 0;
};

AddressRange whole_bins(AddressRange text) {
  constexpr std::uint64_t highest = std::numeric_limits<std::uint64_t>::max() - 1;
  text.low.value -= text.low.value % bin_size;
  text.high.value = std::min(text.high.value, highest);
  text.high.value += text.high.value % bin_size;
  // An unknown text: one bin, since gprof needs a histogram.
  text.low.value = std::min(text.low.value, highest - bin_size);
  if (text.empty()) text.high = text.low + bin_size;
  return text;
}

std::vector<Bin> fill_bins(AddressRange text, std::span<const SidecarSample> samples,
                           Warnings& warnings) {
  std::vector<Bin> bins;
  for (const SidecarSample& sample : samples) {
    if (!text.contains(sample.place.address)) continue;
    const Address low{sample.place.address.value - sample.place.address.value % bin_size};
    if (bins.empty() || bins.back().low != low) bins.push_back({low, 0});
    bins.back().count = saturating_add(bins.back().count, sample.count);
  }
  for (Bin& bin : bins) {
    if (bin.count <= largest_bin) continue;
    warn_of_limit(warnings, fmt::format("{} samples at {:#x}", bin.count, bin.low.value),
                  largest_bin);
    bin.count = largest_bin;
  }
  return bins;
}

AddressRange window_around(Address address, std::uint64_t size, AddressRange text) {
  const Address low{address.value - address.value % size};
  constexpr std::uint64_t highest = std::numeric_limits<std::uint64_t>::max();
  const Address high{low.value > highest - size ? highest : low.value + size};
  return intersect({low, high}, text);
}

// Ascending and disjoint. Adjacent ones stay separate, so that every run has the same ranges.
std::vector<AddressRange> windows_of(AddressRange text, const std::vector<Bin>& bins,
                                     std::uint64_t size) {
  std::vector<AddressRange> windows;
  for (const Bin& bin : bins) {
    if (!windows.empty() && windows.back().contains(bin.low)) continue;
    windows.push_back(window_around(bin.low, size, text));
  }
  return windows;
}

std::vector<AddressRange> choose_ranges(AddressRange text, const std::vector<Bin>& bins) {
  if (text.size() <= whole_text_size) return {text};
  if (bins.empty()) return {window_around(text.low, window_size, text)};
  auto windows = windows_of(text, bins, window_size);
  if (windows.size() > many_windows) return windows_of(text, bins, narrow_window_size);
  return windows;
}

Histogram histogram_over(AddressRange range, std::span<const Bin> bins) {
  Histogram histogram{range.low, range.high, {}};
  histogram.bins.resize(range.size() / bin_size);
  for (const Bin& bin : bins) histogram.bins[(bin.low - range.low) / bin_size] = bin.count;
  return histogram;
}

}  // namespace

std::vector<Histogram> make_histograms(AddressRange text, std::span<const SidecarSample> samples,
                                       Warnings& warnings) {
  text = whole_bins(text);
  const std::vector<Bin> bins = fill_bins(text, samples, warnings);
  std::vector<Histogram> histograms;
  auto first = bins.begin();
  for (const AddressRange& range : choose_ranges(text, bins)) {
    const auto last =
        std::find_if(first, bins.end(), [&](const Bin& bin) { return bin.low >= range.high; });
    histograms.push_back(histogram_over(range, {first, last}));
    first = last;
  }
  return histograms;
}

}  // namespace gprof
