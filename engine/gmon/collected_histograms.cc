// Histograms with bins as narrow as the format allows, to locate samples exactly, in files that do
// not grow with the text: only what was hit is written.
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
constexpr std::uint64_t largest_bin = most_records_a_count * most_samples_a_record;

struct Bin {
  std::uint64_t address;
  std::uint64_t count = 0;
};

std::vector<Bin> fill_bins(CodeRange text, std::span<const SidecarSample> samples,
                           Warnings& warnings) {
  std::vector<Bin> bins;
  for (const SidecarSample& sample : samples) {
    const std::uint64_t address = sample.place.address.value;
    if (address < text.low || address >= text.high) continue;
    if (bins.empty() || bins.back().address != start_of_bin(address)) {
      bins.push_back({start_of_bin(address), 0});
    }
    bins.back().count = saturating_add(bins.back().count, sample.count);
  }
  for (Bin& bin : bins) {
    if (bin.count <= largest_bin) continue;
    warn_of_limit(warnings, fmt::format("{} samples at {:#x}", bin.count, bin.address),
                  largest_bin);
    bin.count = largest_bin;
  }
  return bins;
}

Histogram histogram_over(CodeRange range, std::span<const Bin> bins) {
  Histogram histogram{Address{range.low}, Address{range.high}, {}};
  histogram.bins.resize((range.high - range.low) / bin_size);
  for (const Bin& bin : bins) histogram.bins[(bin.address - range.low) / bin_size] = bin.count;
  return histogram;
}

}  // namespace

std::vector<Histogram> make_histograms(AddressRange text, std::span<const SidecarSample> samples,
                                       Warnings& warnings) {
  const CodeRange code = whole_bins({text.low.value, text.high.value});
  const std::vector<Bin> bins = fill_bins(code, samples, warnings);
  std::size_t windows = 0;
  each_histogram(code, window_size, bins.data(), bins.size(),
                 [&](CodeRange, std::size_t, std::size_t) { ++windows; });
  const std::uint64_t size = windows > many_windows ? narrow_window_size : window_size;
  std::vector<Histogram> histograms;
  each_histogram(
      code, size, bins.data(), bins.size(),
      [&](CodeRange range, std::size_t first, std::size_t last) {
        histograms.push_back(histogram_over(range, std::span(bins).subspan(first, last - first)));
      });
  return histograms;
}

}  // namespace gprof
