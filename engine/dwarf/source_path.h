// Paths of source files as DWARF composes them, and their canonical form.
#pragma once

#include <string>
#include <string_view>

namespace gprof::dwarf {

// `name`, relative to `directory` unless it is absolute. Not normalised.
[[nodiscard]] std::string joined_path(std::string_view directory, std::string_view name);

// Without ".", "..", repeated or trailing slashes, resolved lexically: symbolic links are not
// followed. A relative path stays relative and keeps leading "..". A path of Windows begins with
// the last drive in it ("C:\proj/C:\proj\a.c" is "C:/proj/a.c"): what is before that is a directory
// that an absolute name was joined to.
[[nodiscard]] std::string canonical_path(std::string_view path);

}  // namespace gprof::dwarf
