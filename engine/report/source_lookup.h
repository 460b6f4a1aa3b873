// Finds the current sources of a program: at the paths that the compiler recorded, or in the
// directories of -I.
//
// Thread contract: pure functions. Errors: not_found, also if files exist but none is readable;
// unsupported for a file beyond largest_source_file; unreadable for one outside the bounds.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "engine/support/expected.h"
#include "engine/support/folder_bounds.h"

namespace gprof {

inline constexpr std::uint64_t largest_source_file = std::uint64_t{256} << 20;

// The contents of a source, any bytes, within the bounds. Tried in this order: the path; if
// relative, the path below each directory; its base name in each directory. A directory in its
// place is an empty source, as in GNU gprof.
[[nodiscard]] Expected<std::string> read_source(const std::string& path,
                                                std::span<const std::string> directories,
                                                const Bounds& bounds);

}  // namespace gprof
