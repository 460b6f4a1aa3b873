// Costs that callgrind counted, and other tools in its format: exact figures of the first event.
//
// Lines of the program's functions are given an address by the program's line table, or have one
// (--dump-instr=yes). Calls become arcs at a call instruction of their line, with what they cost.
//
// Thread contract: pure functions. Errors: wrong_format, corrupt (with the offset of the line), and
// mismatch where no function is of the program.
#pragma once

#include <string>
#include <string_view>

#include "engine/import/imported_profile.h"

namespace gprof {

// Whether a text that begins so is one.
[[nodiscard]] bool is_callgrind(std::string_view start);

// The program that it is of, as its user called it: a path, perhaps relative to where it ran. Empty
// where the beginning of the text does not tell.
[[nodiscard]] std::string callgrind_program(std::string_view start);

// Whether it can be read to its end. Errors: wrong_format, corrupt.
[[nodiscard]] Expected<void> check_callgrind(std::string_view text, const std::string& path);

[[nodiscard]] Expected<ImportedProfile> read_callgrind(std::string_view text,
                                                       const std::string& path,
                                                       const ImportTarget& target,
                                                       Warnings& warnings);

}  // namespace gprof
