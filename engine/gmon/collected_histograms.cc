// Histograms with bins as narrow as the format allows, to locate samples exactly, in files that do
// not grow with the text: only what was hit is written.
#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "engine/gmon/collected_module.h"
#include "engine/gmon/writer.h"
#include "engine/support/saturating.h"
#include "formats/gmon_rules.h"

namespace gprof {
namespace {

using namespace gprof_formats;

// Where so many windows are hit, or claimed to be, they are narrower: a bound for what a file
// claims, at the price that GNU gprof cannot add such a profile to others.
constexpr std::size_t many_windows = 1 << 16;
constexpr std::uint64_t narrow_window_size = 64;
constexpr std::uint64_t largest_bin =
    most_records_a_count * std::numeric_limits<std::uint16_t>::max();

struct Bin {
  Address low;
  std::uint64_t count = 0;
};

AddressRange range_of(CodeRange range) { return {Address{range.low}, Address{range.high}}; }

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

AddressRange window_in(AddressRange text, Address address, std::uint64_t size) {
  return range_of(window_around(address.value, size, {text.low.value, text.high.value}));
}

// Ascending and disjoint. Adjacent ones stay separate, so that every run has the same ranges.
std::vector<AddressRange> windows_of(AddressRange text, const std::vector<Bin>& bins,
                                     std::uint64_t size) {
  std::vector<AddressRange> windows;
  for (const Bin& bin : bins) {
    if (!windows.empty() && windows.back().contains(bin.low)) continue;
    windows.push_back(window_in(text, bin.low, size));
  }
  return windows;
}

std::vector<AddressRange> choose_ranges(AddressRange text, const std::vector<Bin>& bins) {
  if (text.size() <= whole_text_size) return {text};
  if (bins.empty()) return {window_in(text, text.low, window_size)};
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
  text = range_of(whole_bins({text.low.value, text.high.value}));
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
