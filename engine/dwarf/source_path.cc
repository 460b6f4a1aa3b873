#include "engine/dwarf/source_path.h"

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

std::string canonical_path(std::string_view path) {
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
