// Finds out what wrote a gmon file, when its executable is not known.
#include <algorithm>

#include <fmt/format.h>

#include "engine/gmon/format_readers.h"

namespace gprof {
namespace {

// In the order of how common they are: a file that fits several is taken for the first.
constexpr std::array<GmonLayout, 4> layouts = {{
    {PointerWidth::eight, ByteOrder::little},
    {PointerWidth::four, ByteOrder::little},
    {PointerWidth::eight, ByteOrder::big},
    {PointerWidth::four, ByteOrder::big},
}};

std::optional<GmonIdentity> identify_gnu(std::span<const std::byte> bytes, const std::string& path,
                                         const GmonLayout& layout) {
  const auto profile = read_gnu_gmon(bytes, path, layout);
  if (!profile) return std::nullopt;
  GmonIdentity identity{profile->decoded.build_id_prefix, std::nullopt, layout};
  if (!profile->histograms.empty()) {
    AddressRange covered = profile->histograms.front().range;
    for (const StoredHistogram& histogram : profile->histograms) {
      covered.low = std::min(covered.low, histogram.range.low);
      covered.high = std::max(covered.high, histogram.range.high);
    }
    identity.histogram_range = covered;
  }
  return identity;
}

// Stricter than the reader, for want of a magic: bins, and whole arcs up to the file's end.
std::optional<GmonIdentity> identify_bsd(std::span<const std::byte> bytes, const std::string& path,
                                         const GmonLayout& layout) {
  ByteReader reader(bytes, layout.byte_order, path);
  const auto header = read_bsd_header(reader, layout, GmonFormatChoice::automatic);
  if (!header || header->bin_count == 0) return std::nullopt;
  const std::uint64_t arcs = reader.remaining() - 2 * header->bin_count;
  if (arcs % arc_size(layout, static_cast<std::uint64_t>(layout.pointer_width)) != 0) {
    return std::nullopt;
  }
  return GmonIdentity{std::nullopt, header->range, layout};
}

}  // namespace

Expected<GmonIdentity> identify_gmon(std::span<const std::byte> bytes, const std::string& path) {
  const bool gnu = has_gnu_magic(bytes);
  std::optional<GmonIdentity> fitting;
  for (const GmonLayout& layout : layouts) {
    auto identity = gnu ? identify_gnu(bytes, path, layout) : identify_bsd(bytes, path, layout);
    if (!identity) continue;
    // A histogram says more than a file in which no layout contradicts itself for want of data.
    if (!fitting || (!fitting->histogram_range && identity->histogram_range)) fitting = identity;
  }
  if (fitting) return *fitting;
  if (!gnu) {
    return Error{ErrorCode::wrong_format,
                 "a GNU, BSD or 4.4BSD gmon file expected; it fits none of them in any byte order "
                 "and pointer width",
                 path, std::nullopt};
  }
  // The message of the most common layout tells most.
  return read_gmon(bytes, path, layouts.front()).error();
}

}  // namespace gprof
