// Patterns of file names as the shell has them: *, ?, [set]; a backslash takes the next character
// as it is.
//
// Thread contract: pure, but for expand_glob(), which reads the file system.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace gprof::lsp {

// The path as a pattern that matches it alone.
[[nodiscard]] std::string glob_of(const std::filesystem::path& path);
// `pattern` below `folder`, whose name is taken literally; as it is where it is absolute.
[[nodiscard]] std::string glob_below(const std::filesystem::path& folder,
                                     const std::string& pattern);

[[nodiscard]] bool has_wildcards(const std::string& pattern);
// The directory above the first part that has wildcards.
[[nodiscard]] std::filesystem::path literal_directory(const std::string& pattern);
// Precondition: no wildcards.
[[nodiscard]] std::filesystem::path literal_path(const std::string& pattern);

// Existing files, sorted; none where nothing matches.
[[nodiscard]] std::vector<std::filesystem::path> expand_glob(const std::string& pattern);
[[nodiscard]] bool glob_matches(const std::string& pattern, const std::filesystem::path& path);

// As patterns of the protocol have it, which cannot take a character as it is: what is special in
// either and meant literally becomes `?`.
[[nodiscard]] std::string protocol_pattern(const std::string& pattern);

}  // namespace gprof::lsp
