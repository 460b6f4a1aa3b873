#include "server/discovery/glob_pattern.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include <fnmatch.h>

namespace gprof::lsp {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view wildcards = "*?[";

// The position after the bracket that closes the set starting at `start`; 0 if none does.
std::size_t end_of_set(std::string_view pattern, std::size_t start) {
  std::size_t i = start + 1;
  if (i < pattern.size() && (pattern[i] == '!' || pattern[i] == '^')) ++i;
  if (i < pattern.size() && pattern[i] == ']') ++i;
  while (i < pattern.size() && pattern[i] != ']') {
    const bool is_class = pattern.substr(i, 2) == "[:";
    const std::size_t class_end = is_class ? pattern.find(":]", i + 2) : std::string_view::npos;
    if (class_end != std::string_view::npos) {
      i = class_end + 2;
    } else {
      i += pattern[i] == '\\' ? 2 : 1;
    }
  }
  return i < pattern.size() ? i + 1 : 0;
}

// The part between two slashes. fnmatch() tries all ways to divide a name among many stars; here
// only the last star is retried.
class PartPattern {
 public:
  explicit PartPattern(std::string_view pattern);

  [[nodiscard]] bool matches(std::string_view name) const;

 private:
  enum class Kind : std::uint8_t { character, any_one, any_number, set };
  struct Token {
    Kind kind = Kind::character;
    char character = 0;
    std::string set;
  };

  [[nodiscard]] static bool takes(const Token& token, char c);

  std::vector<Token> tokens_;
};

PartPattern::PartPattern(std::string_view pattern) {
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    const char c = pattern[i];
    if (c == '*') {
      const bool again = !tokens_.empty() && tokens_.back().kind == Kind::any_number;
      if (!again) tokens_.push_back({Kind::any_number, 0, {}});
    } else if (c == '?') {
      tokens_.push_back({Kind::any_one, 0, {}});
    } else if (const std::size_t end = c == '[' ? end_of_set(pattern, i) : 0; end != 0) {
      tokens_.push_back({Kind::set, 0, std::string(pattern.substr(i, end - i))});
      i = end - 1;
    } else {
      if (c == '\\' && i + 1 < pattern.size()) ++i;
      tokens_.push_back({Kind::character, pattern[i], {}});
    }
  }
}

bool PartPattern::takes(const Token& token, char c) {
  switch (token.kind) {
    case Kind::any_one:
      return true;
    case Kind::set:
      return ::fnmatch(token.set.c_str(), std::string(1, c).c_str(), 0) == 0;
    case Kind::character:
      return token.character == c;
    case Kind::any_number:
      break;
  }
  return false;
}

bool PartPattern::matches(std::string_view name) const {
  // A wildcard does not match a leading dot.
  const bool names_point = !tokens_.empty() && tokens_.front().kind == Kind::character &&
                           tokens_.front().character == '.';
  if (name.starts_with('.') && !names_point) return false;
  std::size_t token = 0;
  std::size_t at = 0;
  std::size_t star = tokens_.size();  // the last one seen; none yet
  std::size_t star_ends = 0;
  while (at < name.size()) {
    if (token < tokens_.size() && tokens_[token].kind == Kind::any_number) {
      star = token++;
      star_ends = at;
    } else if (token < tokens_.size() && takes(tokens_[token], name[at])) {
      ++token;
      ++at;
    } else if (star < tokens_.size()) {
      token = star + 1;
      at = ++star_ends;
    } else {
      return false;
    }
  }
  while (token < tokens_.size() && tokens_[token].kind == Kind::any_number) ++token;
  return token == tokens_.size();
}

// Follows a pattern from directory to directory.
class GlobWalk {
 public:
  GlobWalk(const std::vector<std::string>& parts, GlobBudget& budget, GlobMatches& matches)
      : parts_(parts), budget_(budget), matches_(matches) {}

  // Continues at `place`, which matches the parts before `part`.
  void go_on(fs::path place, std::size_t part);

 private:
  void look_into(const fs::path& directory, std::size_t part);

  const std::vector<std::string>& parts_;
  GlobBudget& budget_;
  GlobMatches& matches_;
};

void GlobWalk::go_on(fs::path place, std::size_t part) {
  for (; part < parts_.size() && !has_wildcards(parts_[part]); ++part) {
    place /= literal_path(parts_[part]);
  }
  if (part < parts_.size()) return look_into(place, part);
  std::error_code error;
  if (fs::exists(fs::symlink_status(place, error))) matches_.files.push_back(std::move(place));
}

void GlobWalk::look_into(const fs::path& directory, std::size_t part) {
  const PartPattern pattern(parts_[part]);
  std::error_code error;
  fs::directory_iterator entry(directory, error);
  for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
    if (budget_.entries == 0) {
      matches_.complete = false;
      return;
    }
    --budget_.entries;
    if (!pattern.matches(entry->path().filename().native())) continue;
    std::error_code ignored;
    if (part + 1 == parts_.size()) {
      matches_.files.push_back(entry->path());
    } else if (entry->is_directory(ignored)) {
      go_on(entry->path(), part + 1);
    }
  }
}

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

GlobMatches expand_glob(const std::string& pattern, GlobBudget& budget) {
  GlobMatches matches;
  std::vector<std::string> parts;
  for (const fs::path& part : fs::path(pattern).relative_path()) parts.push_back(part.string());
  GlobWalk(parts, budget, matches).go_on(fs::path(pattern).root_path(), 0);
  std::sort(matches.files.begin(), matches.files.end());
  return matches;
}

bool glob_matches(const std::string& pattern, const fs::path& path) {
  const fs::path wanted(pattern);
  const auto matches = [](const fs::path& part, const fs::path& name) {
    return PartPattern(part.native()).matches(name.native());
  };
  return std::equal(wanted.begin(), wanted.end(), path.begin(), path.end(), matches);
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
