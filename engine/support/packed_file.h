// Files that were packed to be handed over: gzip, xz and zstd, by content.
//
// Thread contract: pure functions of files. Errors: those of InputFile::open(), and of what cannot
// be unpacked: corrupt, unsupported.
#pragma once

#include <filesystem>
#include <string_view>

#include "engine/support/expected.h"
#include "engine/support/input_file.h"

namespace gprof {

// Opens a file; a packed one is unpacked in memory. unsupported: it unpacks to more than
// max_unpacked_profile_bytes().
[[nodiscard]] Expected<InputFile> open_unpacked(const std::filesystem::path& path);

// "perf.data" for "perf.data.gz"; other names are returned unchanged.
[[nodiscard]] std::string_view unpacked_name(std::string_view name);

}  // namespace gprof
