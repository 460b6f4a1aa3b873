#include "engine/dwarf/source_path.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <vector>

namespace gprof::dwarf {

std::string joined_path(std::string_view directory, std::string_view name) {
  if (directory.empty() || name.starts_with('/')) return std::string(name);
  std::string path(directory);
  if (name.empty()) return path;
  if (!path.ends_with('/')) path += '/';
  path += name;
  return path;
}

namespace {

bool is_separator(char letter) { return letter == '/' || letter == '\\'; }

// Where the last drive ("C:/", "C:\") of a path begins; none if it is not one of Windows.
std::optional<std::size_t> drive_in(std::string_view path) {
  for (std::size_t at = path.rfind(':'); at != std::string_view::npos && at > 0;
       at = path.rfind(':', at - 1)) {
    const auto letter = static_cast<unsigned char>(path[at - 1] | 0x20);
    const bool begins = at == 1 || is_separator(path[at - 2]);
    const bool goes_on = at + 1 < path.size() && is_separator(path[at + 1]);
    if (begins && goes_on && letter >= 'a' && letter <= 'z') return at - 1;
  }
  return std::nullopt;
}

}  // namespace

std::string canonical_path(std::string_view path) {
  if (const auto drive = drive_in(path)) {
    std::string with_slashes(path.substr(*drive));
    std::ranges::replace(with_slashes, '\\', '/');
    // The drive would be found again.
    return with_slashes.substr(0, 3) + canonical_path(with_slashes.substr(3));
  }
  const bool absolute = path.starts_with('/');
  std::vector<std::string_view> parts;
  while (!path.empty()) {
    const std::size_t slash = path.find('/');
    const std::string_view part = path.substr(0, slash);
    path.remove_prefix(slash == std::string_view::npos ? path.size() : slash + 1);
    if (part.empty() || part == ".") continue;
    if (part == ".." && !parts.empty() && parts.back() != "..") {
      parts.pop_back();
    } else if (part != ".." || !absolute) {
      parts.push_back(part);
    }
  }
  std::string result;
  for (const std::string_view part : parts) {
    if (absolute || !result.empty()) result += '/';
    result += part;
  }
  if (result.empty()) return absolute ? "/" : ".";
  return result;
}

}  // namespace gprof::dwarf
