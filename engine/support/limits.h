// Limits on what may be made of a file, so that a small one costs little whatever it claims. Honest
// files stay far below; what exceeds a limit is refused or left out, with a message.
//
// Thread contract: pure functions.
#pragma once

#include <cstdint>
#include <string_view>

#include "engine/support/input_file.h"

namespace gprof {

// Bytes of a profile or of its sidecar: the histogram of two GiB of code, which is as far as
// branches reach on most processors.
inline constexpr std::uint64_t largest_profile = std::uint64_t{1} << 30;

// Bytes of a debug file that needs a checksum because there is no build-id to match.
inline constexpr std::uint64_t largest_checksummed_file = std::uint64_t{2} << 30;

// Bytes of a name that is stored by reference, so that any number of symbols or entries may share
// it; longer names are cut.
inline constexpr std::uint64_t longest_shared_name = std::uint64_t{32} << 10;

// Bytes that all compressed sections of a file may unpack to.
[[nodiscard]] constexpr std::uint64_t most_unpacked_bytes(std::uint64_t file_size) {
  return (std::uint64_t{64} << 20) + 16 * file_size;
}

// Bytes that a packed profile may unpack to. Texts that repeat their stacks pack well.
[[nodiscard]] constexpr std::uint64_t max_unpacked_profile_bytes(std::uint64_t file_size) {
  return (std::uint64_t{64} << 20) + 256 * file_size;
}

// Bytes of memory that may be spent on a profile of another tool. Compressed files of honest tools
// take up to a hundred times their size, with some metrics and deep stacks.
[[nodiscard]] constexpr std::uint64_t max_imported_bytes(std::uint64_t file_size) {
  return (std::uint64_t{64} << 20) + 256 * file_size;
}

// Bytes of code that a file can describe: separate debug files contain none of it.
[[nodiscard]] constexpr std::uint64_t most_code_bytes(std::uint64_t file_size) {
  return 16 * file_size;
}

// Rows that a unit's line number program may produce. Optimised code has one every few bytes.
[[nodiscard]] constexpr std::uint64_t most_line_rows(std::uint64_t code_bytes) {
  return (std::uint64_t{1} << 16) + 2 * code_bytes;
}

// Debug information entries read per unit. An entry takes at least three bytes, or a third of that
// if compressed.
[[nodiscard]] constexpr std::uint64_t most_entries(std::uint64_t file_size) {
  return (std::uint64_t{1} << 20) + file_size;
}

// Libraries of a run whose functions are looked up. A run loads some dozens.
inline constexpr std::uint64_t most_named_modules = 1024;
// Their bytes, of each file once.
inline constexpr std::uint64_t max_named_module_bytes = std::uint64_t{4} << 30;

// Units with entries of their own, not counting type units.
[[nodiscard]] constexpr std::uint64_t most_units(std::uint64_t file_size) {
  return (std::uint64_t{1} << 12) + file_size / 32;
}

// Bytes of a section that units may read in total, where each refers to a part, mostly its own.
[[nodiscard]] constexpr std::uint64_t most_shared_bytes(std::uint64_t section_size) {
  return (std::uint64_t{1} << 20) + 4 * section_size;
}

// Call before allocating anything. Sparse files may claim any size: what counts is how many bytes
// reading the file would return. `what` names it in the message: "a gmon file". Errors:
// unsupported.
[[nodiscard]] Expected<void> check_size(const InputFile& file, std::uint64_t most,
                                        std::string_view what);

}  // namespace gprof
