// Where this user's disposable files belong, by the XDG base directory specification.
//
// Thread contract: pure functions, except those documented to read the environment. Errors: none;
// if the user has no directory, the result is empty.
#pragma once

#include <filesystem>
#include <optional>
#include <string_view>

namespace gprof::lsp {

// `setting` is the variable's value, `home` that of HOME; empty if not set. A relative path in
// either counts as not set, as the specification requires.
[[nodiscard]] std::optional<std::filesystem::path> user_directory(std::string_view setting,
                                                                  std::string_view home,
                                                                  std::string_view below_home);

// For the line cache: $XDG_CACHE_HOME/gprof-lsp/lines, else $HOME/.cache/gprof-lsp/lines; from the
// environment. Not created here.
[[nodiscard]] std::optional<std::filesystem::path> line_cache_directory();

// For snapshots kept between runs; none as above.
[[nodiscard]] std::optional<std::filesystem::path> snapshot_file_directory();

// For the executables of recordings; none as above.
[[nodiscard]] std::optional<std::filesystem::path> kept_executables_directory();

// For reports as files; none as above.
[[nodiscard]] std::optional<std::filesystem::path> report_file_directory();

// For the builds that have written profiles; none as above.
[[nodiscard]] std::optional<std::filesystem::path> known_builds_directory();

}  // namespace gprof::lsp
