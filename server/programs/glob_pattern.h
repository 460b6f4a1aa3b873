// Patterns of file names as the shell has them: *, ?, [set]; a backslash takes the next character
// as it is.
//
// Thread contract: pure, but for expand_glob(), which reads the file system.
#pragma once

#include <cstddef>
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

// How many entries of directories patterns may still look at, together: a pattern such as
// `/**/**/**` names most of a file system.
struct GlobBudget {
  static constexpr std::size_t usual = 200'000;

  explicit GlobBudget(std::size_t all = usual) : most(all), entries(all) {}

  std::size_t most;
  std::size_t entries;  // that are left
};

struct GlobMatches {
  std::vector<std::filesystem::path> files;  // existing ones, sorted
  bool complete = true;                      // false where the budget ended before the search did
};
[[nodiscard]] GlobMatches expand_glob(const std::string& pattern, GlobBudget& budget);
// As often as it is asked, in a time that grows with the product of the two lengths at most.
[[nodiscard]] bool glob_matches(const std::string& pattern, const std::filesystem::path& path);

// As patterns of the protocol have it, which cannot take a character as it is: what is special in
// either and meant literally becomes `?`.
[[nodiscard]] std::string protocol_pattern(const std::string& pattern);

}  // namespace gprof::lsp
