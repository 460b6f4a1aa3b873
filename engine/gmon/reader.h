// Readers of gmon files: GNU version 0 and 1, old BSD, 4.4BSD. Formats: docs/gmon-format.md.
//
// Thread contract: pure functions. Errors: truncated, wrong_format, unsupported, corrupt, mismatch;
// no length field is believed before it is checked against the bytes that are there.
#pragma once

#include <filesystem>
#include <span>

#include "engine/gmon/raw_profile.h"
#include "engine/support/expected.h"
#include "engine/support/input_file.h"

namespace gprof {

// What of the executable decides how its profile is laid out.
struct GmonLayout {
  PointerWidth pointer_width = PointerWidth::eight;
  ByteOrder byte_order = ByteOrder::little;
};

enum class GmonFormatChoice : std::uint8_t { automatic, gnu, bsd, bsd44 };

// `path` is for messages.
Expected<RawProfile> read_gmon(std::span<const std::byte> bytes, const std::string& path,
                               const GmonLayout& layout,
                               GmonFormatChoice choice = GmonFormatChoice::automatic);

// See stored_profile.h for what adds up many files.
Expected<RawProfile> read_gmon_file(const std::filesystem::path& path, const GmonLayout& layout,
                                    GmonFormatChoice choice = GmonFormatChoice::automatic);

// The identity alone, for discovery: build-id prefix and text range, from a file whose byte order
// and pointer width are not known (both are tried; the ones that fit the file's size are used).
struct GmonIdentity {
  std::optional<std::array<std::byte, 8>> build_id_prefix;
  std::optional<AddressRange> histogram_range;
  GmonLayout layout;
  std::uint64_t bytes_read = 0;  // what it took to find out, of a file that was only looked at
};
Expected<GmonIdentity> identify_gmon(std::span<const std::byte> bytes, const std::string& path);
// The same of a file, whose records are looked at and whose bins are not read.
Expected<GmonIdentity> identify_gmon_file(const InputFile& file);

// Whether a file may be read as a profile at all; before anything is allocated for it.
[[nodiscard]] Expected<void> check_gmon_size(const InputFile& file);

}  // namespace gprof
