// Shell patterns for file names: *, ?, [set]; a backslash quotes the next character.
//
// Thread contract: pure, except for expand_glob(), which reads the file system.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace gprof::lsp {

// A pattern that matches only this path.
[[nodiscard]] std::string glob_of(const std::filesystem::path& path);
// `pattern` below `folder`, whose name is taken literally; unchanged if absolute.
[[nodiscard]] std::string glob_below(const std::filesystem::path& folder,
                                     const std::string& pattern);

[[nodiscard]] bool has_wildcards(const std::string& pattern);
// The directory above the first component with wildcards.
[[nodiscard]] std::filesystem::path literal_directory(const std::string& pattern);
// Precondition: no wildcards.
[[nodiscard]] std::filesystem::path literal_path(const std::string& pattern);

// How many directory entries patterns may still visit in total: a pattern such as `/**/**/**`
// covers most of a file system.
struct GlobBudget {
  static constexpr std::size_t usual = 200'000;

  explicit GlobBudget(std::size_t all = usual) : most(all), entries(all) {}

  std::size_t most;
  std::size_t entries;  // remaining
};

struct GlobMatches {
  std::vector<std::filesystem::path> files;  // existing ones, sorted
  bool complete = true;                      // false if the budget ran out first
};
[[nodiscard]] GlobMatches expand_glob(const std::string& pattern, GlobBudget& budget);
// Time: at most the product of the two lengths.
[[nodiscard]] bool glob_matches(const std::string& pattern, const std::filesystem::path& path);

// Converts to a pattern of the protocol, which has no quoting: literal characters that are special
// in either syntax become `?`.
[[nodiscard]] std::string protocol_pattern(const std::string& pattern);

}  // namespace gprof::lsp
