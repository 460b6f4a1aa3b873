// Distinguishes functions with one name, such as static functions in several files, by where the
// profile says that they are defined.
//
// Ownership: none. Thread contract: pure functions, but for what the target does. Errors: none.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "engine/import/imported_profile.h"

namespace gprof {

// The number of names that two paths have in common at their ends: 2 for "/x/a/f.c" and "./a/f.c".
// Other tools write paths as the compiler was given them, or relative to some folder.
[[nodiscard]] std::size_t common_path_end(std::string_view a, std::string_view b);

// The functions whose definition agrees best: in most of the names at the end of its path, then in
// its line, which is 0 if unknown. All of them if none agrees, or if the program does not say where
// they are defined.
[[nodiscard]] std::vector<SymbolIndex> functions_defined_at(std::span<const SymbolIndex> functions,
                                                            std::string_view path, LineNumber line,
                                                            const ImportTarget& target);

}  // namespace gprof
