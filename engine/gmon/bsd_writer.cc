// Writes the BSD formats, which hold one histogram and only whole counts: see write_bsd_gmon().
#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "engine/gmon/format_readers.h"
#include "engine/gmon/writer.h"
#include "engine/support/byte_writer.h"

namespace gprof {
namespace {

constexpr std::uint64_t largest_bin = std::numeric_limits<std::uint16_t>::max();
constexpr std::uint64_t largest_u32 = std::numeric_limits<std::uint32_t>::max();
constexpr std::uint64_t bsd44_words_size = 20;  // version, rate, 12 spare bytes

Error refusal(std::string message) {
  message += "; write the GNU format instead (-O magic), which can";
  return Error{ErrorCode::invalid_argument, std::move(message), {}, std::nullopt};
}

Expected<void> check_bsd_can_hold(const RawProfile& profile, std::uint64_t largest_word) {
  if (profile.histograms.size() > 1) {
    return refusal(fmt::format("the BSD formats hold one histogram, {} expected to be written",
                               profile.histograms.size()));
  }
  if (!profile.blocks.empty()) return refusal("the BSD formats hold no basic-block counts");
  for (const Histogram& histogram : profile.histograms) {
    for (const std::uint64_t bin : histogram.bins) {
      if (bin <= largest_bin) continue;
      return refusal(fmt::format("a bin of the BSD formats holds up to {} samples, {} found",
                                 largest_bin, bin));
    }
    if (2 * histogram.bins.size() > largest_u32 / 2) {
      return refusal(fmt::format("too many bins for a BSD format: {}", histogram.bins.size()));
    }
  }
  for (const RawArc& arc : profile.arcs) {
    if (arc.count <= largest_word) continue;
    return refusal(
        fmt::format("an arc of this executable's BSD format holds up to {} calls, {} "
                    "found",
                    largest_word, arc.count));
  }
  return {};
}

}  // namespace

Expected<std::vector<std::byte>> write_bsd_gmon(const RawProfile& profile,
                                                const GmonLayout& layout) {
  const bool wide = layout.pointer_width == PointerWidth::eight;
  TRY(check_bsd_can_hold(profile, wide ? ~std::uint64_t{0} : largest_u32));
  const Histogram histogram = profile.histograms.empty() ? Histogram{} : profile.histograms.front();
  const bool bsd44 = profile.format == GmonFormat::bsd44;
  ByteWriter writer(layout.byte_order, layout.pointer_width);
  writer.put_word(histogram.low.value);
  writer.put_word(histogram.high.value);
  const std::uint64_t header_size = writer.size() + 4 + (bsd44 ? bsd44_words_size : 0);
  writer.put(header_size + 2 * histogram.bins.size(), 4);
  if (bsd44) {
    writer.put(bsd44_version, 4);
    writer.put(profile.rate, 4);
    writer.put_text("", 12);
  }
  for (const std::uint64_t bin : histogram.bins) writer.put(bin, 2);
  for (const RawArc& arc : profile.arcs) {
    writer.put_word(arc.from_pc.value);
    writer.put_word(arc.self_pc.value);
    writer.put_word(arc.count);
  }
  return writer.take();
}

}  // namespace gprof
