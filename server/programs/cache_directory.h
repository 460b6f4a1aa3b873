// Where this user's files that may be lost belong, by the XDG base directory specification.
//
// Thread contract: pure functions, but for those that say that they read the environment. Errors:
// none; without a directory of the user's there is none.
#pragma once

#include <filesystem>
#include <optional>
#include <string_view>

namespace gprof::lsp {

// `setting` is the variable's value, `home` that of HOME; empty where they are not set. A relative
// path in either counts as not set, as the specification wants it.
[[nodiscard]] std::optional<std::filesystem::path> user_directory(std::string_view setting,
                                                                  std::string_view home,
                                                                  std::string_view below_home);

// For the line cache: $XDG_CACHE_HOME/gprof-lsp/lines, else $HOME/.cache/gprof-lsp/lines; from the
// environment. Not made yet.
[[nodiscard]] std::optional<std::filesystem::path> line_cache_directory();

// Of snapshots that are kept from one run to the next; none as above.
[[nodiscard]] std::optional<std::filesystem::path> index_cache_directory();

}  // namespace gprof::lsp
