// A profile whose histograms and arcs are still in the bytes of its file, checked but not decoded:
// many files can be added up without copying each.
//
// Ownership: views of the file's bytes, which must outlive it. Thread contract: immutable.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/gmon/raw_profile.h"
#include "engine/gmon/reader.h"
#include "engine/support/byte_reader.h"

namespace gprof {

using StoredBytes = std::span<const std::byte>;

// One record; at least one bin.
struct StoredHistogram {
  AddressRange range;
  StoredBytes bins;  // of 16 bits
};

struct EncodedProfile {
  // What is decoded: all of a BSD file; of a GNU file, all but the two below.
  RawProfile decoded;
  GmonLayout layout;
  // In file order, including equal ranges; compatible with each other (see HistogramRanges).
  std::vector<StoredHistogram> histograms;
  // Runs of arc records, including tags, in file order.
  std::vector<StoredBytes> arcs;
};

inline constexpr std::size_t bin_bytes = 2;

[[nodiscard]] inline std::size_t bin_count(StoredBytes bins) { return bins.size() / bin_bytes; }

// A tag, two addresses, a 32-bit count.
[[nodiscard]] inline std::size_t gnu_arc_bytes(const GmonLayout& layout) {
  return 1 + 2 * static_cast<std::size_t>(layout.pointer_width) + sizeof(std::uint32_t);
}

// Calls `take` with each arc of a run of records.
template <typename Take>
void each_arc(StoredBytes arcs, const GmonLayout& layout, Take take) {
  const std::size_t record = gnu_arc_bytes(layout);
  const ByteOrder order = layout.byte_order;
  const bool wide = layout.pointer_width == PointerWidth::eight;
  for (std::size_t at = 0; at + record <= arcs.size(); at += record) {
    const std::byte* field = arcs.data() + at + 1;
    const auto from = wide ? stored_integer<std::uint64_t>(field, order)
                           : stored_integer<std::uint32_t>(field, order);
    field += static_cast<std::size_t>(layout.pointer_width);
    const auto self = wide ? stored_integer<std::uint64_t>(field, order)
                           : stored_integer<std::uint32_t>(field, order);
    field += static_cast<std::size_t>(layout.pointer_width);
    take(RawArc{Address{from}, Address{self}, stored_integer<std::uint32_t>(field, order)});
  }
}

// As read_gmon(), with its errors.
[[nodiscard]] Expected<EncodedProfile> read_stored_gmon(
    StoredBytes bytes, const std::string& path, const GmonLayout& layout,
    GmonFormatChoice choice = GmonFormatChoice::automatic);

// Reads the file into `buffer`, which the result views; it may be reused for file after file.
[[nodiscard]] Expected<EncodedProfile> read_stored_gmon_file(const std::filesystem::path& path,
                                                             const GmonLayout& layout,
                                                             GmonFormatChoice choice,
                                                             std::vector<std::byte>& buffer);

[[nodiscard]] RawProfile decode(EncodedProfile&& stored);

}  // namespace gprof
