// Numbers of the sidecar's format, for its reader and writer. Format: docs/gmon-format.md.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace gprof::sidecar_format {

inline constexpr std::string_view magic = "gprofgpx";
inline constexpr std::uint32_t version = 1;
inline constexpr std::uint32_t header_size = 64;
inline constexpr std::uint32_t section_header_size = 16;
inline constexpr std::uint64_t section_alignment = 8;

enum class SectionKind : std::uint32_t {
  strings = 1,
  process = 2,
  modules = 3,
  arcs = 4,
  threads = 5,
  samples = 6,
  stacks = 7,
};

// Bytes of an entry as this version knows it. Stacks are counted in units of 8 bytes.
inline constexpr std::uint32_t string_size = 1;
inline constexpr std::uint32_t process_size = 160;
inline constexpr std::uint32_t smallest_process_size = 112;  // of older files
inline constexpr std::uint32_t module_size = 48;
inline constexpr std::uint32_t arc_size = 64;
inline constexpr std::uint32_t thread_size = 40;
inline constexpr std::uint32_t sample_size = 32;
inline constexpr std::uint32_t smallest_sample_size = 24;  // of older files
inline constexpr std::uint32_t stack_unit = 8;
inline constexpr std::uint32_t stack_size = 16;
inline constexpr std::uint32_t frame_size = 16;
// Beside no module, in the place of a group's length: frames are left out here.
inline constexpr std::uint32_t mark_left_out = 0xffffffff;

// zlib's CRC-32 of the bytes.
[[nodiscard]] std::uint32_t checksum(std::span<const std::byte> bytes);

}  // namespace gprof::sidecar_format
