// Readers of gmon files: GNU version 0 and 1, old BSD, 4.4BSD. Formats: docs/gmon-format.md.
//
// Thread contract: pure functions. Errors: truncated, wrong_format, unsupported, corrupt, mismatch;
// length fields are checked against the bytes available before they are used.
#pragma once

#include <filesystem>
#include <optional>
#include <span>

#include "engine/gmon/raw_profile.h"
#include "engine/support/expected.h"
#include "engine/support/input_file.h"

namespace gprof {

// The properties of the executable that determine the layout of its profile.
struct GmonLayout {
  PointerWidth pointer_width = PointerWidth::eight;
  ByteOrder byte_order = ByteOrder::little;
  // The program's code at its link-time address, if profiles may have the addresses where the
  // system loaded it (see load_bias.h).
  std::optional<AddressRange> movable_code = {};
};

enum class GmonFormatChoice : std::uint8_t { automatic, gnu, bsd, bsd44 };

// `path` is for messages.
Expected<RawProfile> read_gmon(std::span<const std::byte> bytes, const std::string& path,
                               const GmonLayout& layout,
                               GmonFormatChoice choice = GmonFormatChoice::automatic);

// To add up many files, see stored_profile.h.
Expected<RawProfile> read_gmon_file(const std::filesystem::path& path, const GmonLayout& layout,
                                    GmonFormatChoice choice = GmonFormatChoice::automatic);

// Only the identity, for discovery: build-id prefix and text range, from a file of unknown byte
// order and pointer width (all are tried; those that fit the file's size are used).
struct GmonIdentity {
  std::optional<std::array<std::byte, 8>> build_id_prefix;
  std::optional<AddressRange> histogram_range;
  GmonLayout layout;
  std::uint64_t bytes_read = 0;  // how much had to be read, if not the whole file
};
Expected<GmonIdentity> identify_gmon(std::span<const std::byte> bytes, const std::string& path);
// The same for a file: reads its records, but not its bins.
Expected<GmonIdentity> identify_gmon_file(const InputFile& file);

// Whether a file may be read as a profile at all; call before allocating anything for it.
[[nodiscard]] Expected<void> check_gmon_size(const InputFile& file);

}  // namespace gprof
