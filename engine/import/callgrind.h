// Costs in the format of callgrind, which other tools write too: exact figures, a metric of each
// event.
//
// Lines of the program's functions get an address from the program's line table, or have one
// (--dump-instr=yes). Calls become arcs at a call instruction of their line, with their cost.
//
// Thread contract: pure functions. Errors: wrong_format, corrupt (with the offset of the line), and
// mismatch if none of the functions is in the program.
#pragma once

#include <string>
#include <string_view>

#include "engine/import/imported_profile.h"

namespace gprof {

// Whether a text that starts like this is one.
[[nodiscard]] bool is_callgrind(std::string_view start);

// The profiled program, as its user called it: a path, perhaps relative to where it ran. Empty if
// the start of the text does not say.
[[nodiscard]] std::string callgrind_program(std::string_view start);

// Whether it can be read to the end. Errors: wrong_format, corrupt.
[[nodiscard]] Expected<void> check_callgrind(std::string_view text, const std::string& path);

[[nodiscard]] Expected<ImportedProfile> read_callgrind(std::string_view text,
                                                       const std::string& path,
                                                       const ImportTarget& target,
                                                       Warnings& warnings);

}  // namespace gprof
