// The readers of the single formats, behind read_gmon(). Formats: docs/gmon-format.md.
//
// Thread contract: pure functions. Errors as read_gmon(), without its advice on truncated files.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "engine/gmon/raw_profile.h"
#include "engine/gmon/reader.h"
#include "engine/gmon/stored_profile.h"
#include "engine/support/byte_reader.h"
#include "engine/support/input_file.h"

namespace gprof {

// The four bytes by which a GNU file begins.
inline constexpr std::array<std::byte, 4> gnu_magic = {std::byte{'g'}, std::byte{'m'},
                                                       std::byte{'o'}, std::byte{'n'}};
// The word by which 4.4BSD's header is told from the old one.
inline constexpr std::uint32_t bsd44_version = 0x51879;
[[nodiscard]] bool has_gnu_magic(std::span<const std::byte> bytes);

// Precondition: has_gnu_magic(bytes).
Expected<StoredProfile> read_gnu_gmon(StoredBytes bytes, const std::string& path,
                                      const GmonLayout& layout);
// The same checks and the same errors, but of a file that is not read: histograms have ranges and
// no bins, arcs and blocks are counted. What that took is added to `bytes_read`. Precondition: the
// file begins so.
Expected<StoredProfile> look_at_gnu_gmon(const InputFile& file, const GmonLayout& layout,
                                         std::uint64_t& bytes_read);

// `choice` is automatic or bsd (the version word tells which of the two), or bsd44.
Expected<RawProfile> read_bsd_gmon(std::span<const std::byte> bytes, const std::string& path,
                                   const GmonLayout& layout, GmonFormatChoice choice);

// Of a file that ends too early, why that may be.
[[nodiscard]] Error with_advice(Error error);

struct BsdHeader {
  GmonFormat format = GmonFormat::bsd;
  AddressRange range;
  std::uint64_t bin_count = 0;
  std::uint32_t rate = 0;
};
// Bytes that the longest of them has.
inline constexpr std::uint64_t bsd_header_size = 2 * 8 + 4 + 4 + 4 + 12;
// `reader` is at the beginning of a file of that size, of which it may have no more than the
// header. Leaves it at the first bin. All bins are known to be there.
Expected<BsdHeader> read_bsd_header(ByteReader& reader, std::uint64_t file_size,
                                    const GmonLayout& layout, GmonFormatChoice choice);

// `count` bins of 16 bits. Fails before it allocates when they are not there.
Expected<BinCounts> read_bins(ByteReader& reader, const GmonLayout& layout, std::uint64_t count);

// Bytes of one arc: from, self and a count of `count_size` bytes.
[[nodiscard]] inline std::uint64_t arc_size(const GmonLayout& layout, std::uint64_t count_size) {
  return 2 * static_cast<std::uint64_t>(layout.pointer_width) + count_size;
}

}  // namespace gprof
