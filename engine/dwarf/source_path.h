// Paths of source files as DWARF composes them, and their canonical form.
#pragma once

#include <string>
#include <string_view>

namespace gprof::dwarf {

// `name`, taken as relative to `directory` where it is relative. Not normalised.
[[nodiscard]] std::string joined_path(std::string_view directory, std::string_view name);

// Without "." and "..", repeated or trailing slashes, all resolved by the text alone: symbolic
// links are not asked. A relative path stays relative and keeps leading "..".
[[nodiscard]] std::string canonical_path(std::string_view path);

}  // namespace gprof::dwarf
