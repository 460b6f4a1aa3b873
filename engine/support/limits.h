// How much may be made of a file, so that a small one costs little, whatever it claims. Honest
// files stay far below; what exceeds a limit is refused, or left out, with a message.
//
// Thread contract: pure functions.
#pragma once

#include <cstdint>
#include <string_view>

#include "engine/support/input_file.h"

namespace gprof {

// Bytes of a profile, or of what was collected beside it: the histogram of two GiB of code, which
// is what branches of most processors reach.
inline constexpr std::uint64_t largest_profile = std::uint64_t{1} << 30;

// Bytes of a debug file that a checksum has to be made of, where no build-id tells whose it is.
inline constexpr std::uint64_t largest_checksummed_file = std::uint64_t{2} << 30;

// Bytes of a name that is told by where it stands, so that any number of symbols or entries may
// share one: a longer one is cut.
inline constexpr std::uint64_t longest_shared_name = std::uint64_t{32} << 10;

// Bytes that all compressed sections of a file may have together.
[[nodiscard]] constexpr std::uint64_t most_unpacked_bytes(std::uint64_t file_size) {
  return (std::uint64_t{64} << 20) + 16 * file_size;
}

// Bytes of code that a file can speak of: separate debug files hold none of it.
[[nodiscard]] constexpr std::uint64_t most_code_bytes(std::uint64_t file_size) {
  return 16 * file_size;
}

// Rows that a unit's line number program may make. Optimised code has one for every few bytes.
[[nodiscard]] constexpr std::uint64_t most_line_rows(std::uint64_t code_bytes) {
  return (std::uint64_t{1} << 16) + 2 * code_bytes;
}

// Entries of debug information that are looked at in a unit. One takes three bytes or more, and a
// third of that where it is compressed.
[[nodiscard]] constexpr std::uint64_t most_entries(std::uint64_t file_size) {
  return (std::uint64_t{1} << 20) + file_size;
}

// Units that have entries of their own, type units not counted.
[[nodiscard]] constexpr std::uint64_t most_units(std::uint64_t file_size) {
  return (std::uint64_t{1} << 12) + file_size / 32;
}

// Bytes that units may read of a section together, where each names a part of it: mostly their own.
[[nodiscard]] constexpr std::uint64_t most_shared_bytes(std::uint64_t section_size) {
  return (std::uint64_t{1} << 20) + 4 * section_size;
}

// To be called before anything is allocated. Sparse files may claim any size: what counts is how
// many bytes reading the file would give. `what` names it in the message: "a gmon file".
// Errors: unsupported.
[[nodiscard]] Expected<void> check_size(const InputFile& file, std::uint64_t most,
                                        std::string_view what);

}  // namespace gprof
