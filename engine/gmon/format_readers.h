// The readers of the individual formats, used by read_gmon(). Formats: docs/gmon-format.md.
//
// Thread contract: pure functions. Errors as read_gmon(), without its advice on truncated files.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "engine/gmon/encoded_profile.h"
#include "engine/gmon/raw_profile.h"
#include "engine/gmon/reader.h"
#include "engine/support/byte_reader.h"
#include "engine/support/input_file.h"

namespace gprof {

// The first four bytes of a GNU file.
inline constexpr std::array<std::byte, 4> gnu_magic = {std::byte{'g'}, std::byte{'m'},
                                                       std::byte{'o'}, std::byte{'n'}};
// The word that distinguishes 4.4BSD's header from the old one.
inline constexpr std::uint32_t bsd44_version = 0x51879;
[[nodiscard]] bool has_gnu_magic(std::span<const std::byte> bytes);

// Precondition: has_gnu_magic(bytes).
Expected<EncodedProfile> read_gnu_gmon(StoredBytes bytes, const std::string& path,
                                       const GmonLayout& layout);
// The same checks and errors, without reading the whole file: histograms have ranges but no bins;
// arcs and blocks are counted. Adds what was read to `bytes_read`. Precondition: the file starts
// with the magic.
Expected<EncodedProfile> look_at_gnu_gmon(const InputFile& file, const GmonLayout& layout,
                                          std::uint64_t& bytes_read);

// `choice` is automatic or bsd (the version word tells which of the two), or bsd44.
Expected<RawProfile> read_bsd_gmon(std::span<const std::byte> bytes, const std::string& path,
                                   const GmonLayout& layout, GmonFormatChoice choice);

// Adds to the error of a truncated file why that may be.
[[nodiscard]] Error with_advice(Error error);

// The bins of a BSD file.
struct BinFormat {
  std::uint32_t bytes = bin_bytes;  // 1, 2, 4 or 8
  bool is_signed = false;
};

struct BsdHeader {
  GmonFormat format = GmonFormat::bsd;
  AddressRange range;
  std::uint64_t bin_count = 0;
  std::uint32_t rate = 0;
  BinFormat bins;

  [[nodiscard]] std::uint64_t bins_size() const { return bin_count * bins.bytes; }
};
// Size of the longest of them, in bytes.
inline constexpr std::uint64_t bsd_header_size = 2 * 8 + 4 + 4 + 4 + 12;
// `reader` is at the start of a file of `file_size` bytes, of which it may hold only the header.
// Leaves it at the first bin. The file is known to be large enough for all bins.
Expected<BsdHeader> read_bsd_header(ByteReader& reader, std::uint64_t file_size,
                                    const GmonLayout& layout, GmonFormatChoice choice);

// Size of one arc in bytes: from, self and a count of `count_size` bytes.
[[nodiscard]] inline std::uint64_t arc_size(const GmonLayout& layout, std::uint64_t count_size) {
  return 2 * static_cast<std::uint64_t>(layout.pointer_width) + count_size;
}

}  // namespace gprof
