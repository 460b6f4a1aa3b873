// Costs in the format of callgrind, which other tools write too: exact figures, a metric of each
// event.
//
// Lines of the program's functions get an address from the program's line table, or have one
// (--dump-instr=yes). Calls become arcs at a call instruction of their line, with their cost.
//
// Thread contract: pure functions. Errors: wrong_format, corrupt (with the offset of the line), and
// mismatch if none of the functions is in the program.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "engine/import/imported_profile.h"

namespace gprof {

// Whether a text that starts like this is one.
[[nodiscard]] bool is_callgrind(std::string_view start);

// Whether it can be read to the end. Gives the profiled program: a path, perhaps relative to where
// it ran; empty if the file does not name it. Errors: wrong_format, corrupt.
[[nodiscard]] Expected<std::string> check_callgrind(std::string_view text, const std::string& path);

// `stored_size`: on disk, if the file was packed.
[[nodiscard]] Expected<ImportedProfile> read_callgrind(
    std::string_view text, const std::string& path, const ImportTarget& target, Warnings& warnings,
    std::optional<std::uint64_t> stored_size = std::nullopt);

}  // namespace gprof
