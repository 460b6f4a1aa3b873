#include "server/discovery/program_names.h"

#include <algorithm>
#include <map>
#include <set>

namespace gprof::lsp {
namespace {

namespace fs = std::filesystem;

// The last `parts` components; the whole path if it has fewer.
std::string ending(const fs::path& path, std::size_t parts) {
  const fs::path relative = path.lexically_normal().relative_path();
  const auto count = static_cast<std::size_t>(std::distance(relative.begin(), relative.end()));
  if (parts > count) return path.string();
  fs::path result;
  std::size_t skipped = count - parts;
  for (const fs::path& part : relative) {
    if (skipped > 0) {
      --skipped;
    } else {
      result /= part;
    }
  }
  return result.string();
}

}  // namespace

std::vector<std::string> distinct_names(const std::vector<fs::path>& paths) {
  std::vector<std::size_t> parts(paths.size(), 1);
  std::vector<std::string> names(paths.size());
  // No path has more components than this; equal paths keep equal names.
  constexpr std::size_t most_parts = 64;
  for (std::size_t round = 0; round < most_parts; ++round) {
    std::map<std::string, std::set<fs::path>> meanings;
    for (std::size_t i = 0; i < paths.size(); ++i) {
      names[i] = ending(paths[i], parts[i]);
      meanings[names[i]].insert(paths[i]);
    }
    bool distinct = true;
    for (std::size_t i = 0; i < paths.size(); ++i) {
      if (meanings[names[i]].size() == 1) continue;
      ++parts[i];
      distinct = false;
    }
    if (distinct) break;
  }
  return names;
}

}  // namespace gprof::lsp
