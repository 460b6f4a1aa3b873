#include "server/programs/glob_pattern.h"

#include <string_view>

#include <fnmatch.h>
#include <glob.h>

namespace gprof::lsp {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view wildcards = "*?[";

}  // namespace

std::string glob_of(const fs::path& path) {
  std::string pattern;
  for (const char c : path.string()) {
    if (wildcards.find(c) != std::string_view::npos || c == '\\') pattern += '\\';
    pattern += c;
  }
  return pattern;
}

std::string glob_below(const fs::path& folder, const std::string& pattern) {
  const fs::path given(pattern);
  if (given.is_absolute()) return given.lexically_normal().string();
  return (fs::path(glob_of(folder)) / given).lexically_normal().string();
}

bool has_wildcards(const std::string& pattern) {
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] == '\\') {
      ++i;
    } else if (wildcards.find(pattern[i]) != std::string_view::npos) {
      return true;
    }
  }
  return false;
}

fs::path literal_path(const std::string& pattern) {
  std::string path;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] == '\\' && i + 1 < pattern.size()) ++i;
    path += pattern[i];
  }
  return path;
}

fs::path literal_directory(const std::string& pattern) {
  fs::path directory;
  const fs::path above = fs::path(pattern).parent_path();
  for (const fs::path& part : above) {
    if (has_wildcards(part.string())) break;
    directory /= literal_path(part.string());
  }
  return directory;
}

std::vector<fs::path> expand_glob(const std::string& pattern) {
  std::vector<fs::path> files;
  glob_t matches = {};
  if (::glob(pattern.c_str(), 0, nullptr, &matches) == 0) {
    for (std::size_t i = 0; i < matches.gl_pathc; ++i) files.emplace_back(matches.gl_pathv[i]);
  }
  ::globfree(&matches);
  return files;
}

bool glob_matches(const std::string& pattern, const fs::path& path) {
  return ::fnmatch(pattern.c_str(), path.c_str(), FNM_PATHNAME | FNM_PERIOD) == 0;
}

std::string protocol_pattern(const std::string& pattern) {
  std::string result;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    const bool escaped = pattern[i] == '\\' && i + 1 < pattern.size();
    if (escaped) ++i;
    const char c = pattern[i];
    const bool special = c == '{' || c == '}' || c == '\\';
    const bool literal = escaped && std::string_view("*?[]").find(c) != std::string_view::npos;
    result += special || literal ? '?' : c;
  }
  return result;
}

}  // namespace gprof::lsp
