#include "engine/matching.h"

#include <algorithm>

#include <fmt/format.h>

namespace gprof {
namespace {

std::string hexadecimal(std::span<const std::byte> bytes) {
  std::string text;
  for (const std::byte byte : bytes) text += fmt::format("{:02x}", static_cast<unsigned>(byte));
  return text;
}

Error mismatch(const Image& image, const std::string& profile_path, const std::string& why) {
  return Error{ErrorCode::mismatch,
               fmt::format("does not belong to {}: {}; run the program again, or name the "
                           "executable that wrote this profile",
                           image.path(), why),
               profile_path, std::nullopt};
}

bool overlaps_code(const Image& image, const RawProfile& raw) {
  const AddressRange code = image.code_range();
  return raw.histograms.empty() || code.empty() ||
         std::any_of(raw.histograms.begin(), raw.histograms.end(), [&](const Histogram& h) {
           return !intersect(code, {h.low, h.high}).empty();
         });
}

}  // namespace

Expected<void> check_belongs_together(const Image& image, const SymbolTable& symbols,
                                      const RawProfile& raw, const std::string& profile_path) {
  if (raw.build_id_prefix && !image.build_id().empty()) {
    const auto expected =
        image.build_id().first(std::min(image.build_id().size(), raw.build_id_prefix->size()));
    const auto found = std::span(*raw.build_id_prefix).first(expected.size());
    if (!std::ranges::equal(expected, found)) {
      return mismatch(image, profile_path,
                      fmt::format("it was written by the build {}…, this is {}…",
                                  hexadecimal(found), hexadecimal(expected)));
    }
  }
  if (!overlaps_code(image, raw)) {
    const AddressRange code = image.code_range();
    return mismatch(
        image, profile_path,
        fmt::format("it covers the addresses 0x{:x} to 0x{:x}, the program's code is at 0x{:x} to "
                    "0x{:x}",
                    raw.histograms.front().low.value, raw.histograms.back().high.value,
                    code.low.value, code.high.value));
  }
  const auto lost = static_cast<std::size_t>(
      std::count_if(raw.arcs.begin(), raw.arcs.end(),
                    [&](const RawArc& arc) { return !symbols.find(arc.self_pc); }));
  if (lost * 2 > raw.arcs.size()) {
    return mismatch(image, profile_path,
                    fmt::format("{} of its {} calls go to addresses where the program has no "
                                "function",
                                lost, raw.arcs.size()));
  }
  return {};
}

}  // namespace gprof
