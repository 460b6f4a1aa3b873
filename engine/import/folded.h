// Folded stacks, as scripts for flame graphs read and write them: `main;work;leaf 12`, a stack a
// line, the outermost function first.
//
// Functions are known by name: `f`, `module`f`, `module!f`, `f [module]`, and `f:12` with a line.
// The marks of other tools at the end of names are understood: `_[k]` of the kernel, `_[i]` of a
// function that was inlined into the one before, `_[j]` and others of compiled code. A first frame
// `name-12/13`, `name-12` or `[name tid=13]` tells process and thread.
//
// Units: samples; the file does not say what its numbers are. Thread contract: pure functions.
// Errors: wrong_format and corrupt, with the offset of the line.
#pragma once

#include <string>
#include <string_view>

#include "engine/import/imported_profile.h"
#include "engine/profile/memory_room.h"
#include "engine/profile/profile.h"

namespace gprof {

// Whether a text that starts like this is one.
[[nodiscard]] bool is_folded(std::string_view start);

// Whether it can be read to the end. Errors: as above.
[[nodiscard]] Expected<void> check_folded(std::string_view text, const std::string& path);

// Reads the target's names only, to tell functions from threads and lines.
[[nodiscard]] Expected<Profile> read_folded(std::string_view text, const std::string& path,
                                            const ImportTarget& target, MemoryRoom& room,
                                            Warnings& warnings);

}  // namespace gprof
