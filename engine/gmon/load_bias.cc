#include "engine/gmon/load_bias.h"

#include <algorithm>

namespace gprof {
namespace {

// Collectors round the ends of the sampled code to the width of their bins.
constexpr std::int64_t rounding = 16;
// Windows' allocation granularity.
constexpr std::int64_t step = std::int64_t{64} << 10;

// From the first to the last address that was sampled; empty if nothing was.
AddressRange sampled_code(const EncodedProfile& profile) {
  AddressRange all;
  const auto add = [&all](AddressRange range) {
    if (all.empty()) {
      all = range;
    } else {
      all = {std::min(all.low, range.low), std::max(all.high, range.high)};
    }
  };
  for (const StoredHistogram& histogram : profile.histograms) add(histogram.range);
  for (const Histogram& histogram : profile.decoded.histograms) {
    add({histogram.low, histogram.high});
  }
  return all;
}

// Arcs that are still stored are decoded: their bytes belong to the file.
void decode_arcs(EncodedProfile& profile) {
  for (const StoredBytes arcs : profile.arcs) {
    each_arc(arcs, profile.layout, [&](const RawArc& arc) { profile.decoded.arcs.push_back(arc); });
  }
  profile.arcs.clear();
}

}  // namespace

std::uint64_t load_bias(AddressRange sampled, const GmonLayout& layout) {
  if (!layout.movable_code || sampled.empty()) return 0;
  const AddressRange code = *layout.movable_code;
  // Differences of addresses, which wrap: they are small if the two are near each other.
  const auto lowest = static_cast<std::int64_t>(sampled.high - code.high);
  const auto highest = static_cast<std::int64_t>(sampled.low - code.low);
  constexpr std::int64_t farthest = std::int64_t{1} << 62;
  if (lowest < -farthest || lowest > farthest || highest < -farthest || highest > farthest)
    return 0;
  // The sampled code is within the program's for biases from `first` to `last`.
  const std::int64_t first = lowest - rounding;
  const std::int64_t last = highest + rounding;
  if (first <= 0 && 0 <= last) return 0;
  const std::int64_t below = first / step * step;
  const std::int64_t bias = below < first ? below + step : below;
  const bool is_only_one = bias <= last && bias + step > last;
  return is_only_one ? static_cast<std::uint64_t>(bias) : 0;
}

void place_at_link_address(EncodedProfile& profile) {
  const std::uint64_t bias = load_bias(sampled_code(profile), profile.layout);
  if (bias == 0) return;
  decode_arcs(profile);
  for (StoredHistogram& histogram : profile.histograms) {
    histogram.range = {histogram.range.low - bias, histogram.range.high - bias};
  }
  for (Histogram& histogram : profile.decoded.histograms) {
    histogram.low = histogram.low - bias;
    histogram.high = histogram.high - bias;
  }
  for (RawArc& arc : profile.decoded.arcs) {
    arc.from_pc = arc.from_pc - bias;
    arc.self_pc = arc.self_pc - bias;
  }
  for (BlockCount& block : profile.decoded.blocks) block.address = block.address - bias;
}

}  // namespace gprof
