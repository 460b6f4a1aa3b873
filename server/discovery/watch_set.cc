#include "server/discovery/watch_set.h"

#include <algorithm>
#include <array>
#include <tuple>

#include "server/discovery/glob_pattern.h"
#include "server/discovery/live_files.h"
#include "server/discovery/profile_names.h"
#include "server/discovery/workspace_search.h"
#include "server/protocol/uri.h"

namespace gprof::lsp {
namespace {

namespace fs = std::filesystem;

constexpr std::array<const char*, 10> folder_patterns = {
    "**/gmon.out*",  "**/gmon.sum",         "**/*.gpx",   "**/gmon.live.*", "**/callgrind.out.*",
    "**/perf.data*", "**/perf.data*/data*", "**/*.pb.gz", "**/*.pprof",     "**/*.folded*"};

// If a pattern matches more directories, they are not watched one by one.
constexpr std::size_t most_glob_directories = 64;

// About as many as a watcher may watch.
constexpr std::size_t most_directories = 1024;

bool is_below(const fs::path& path, const fs::path& folder) {
  const auto [at_folder, at_path] =
      std::mismatch(folder.begin(), folder.end(), path.begin(), path.end());
  return at_folder == folder.end() || (at_folder->empty() && std::next(at_folder) == folder.end());
}

const fs::path* folder_of(const fs::path& path, const std::vector<fs::path>& folders) {
  for (const fs::path& folder : folders) {
    if (is_below(path, folder)) return &folder;
  }
  return nullptr;
}

WatchedPattern pattern_of(const fs::path& directory, const std::string& pattern,
                          const std::vector<fs::path>& folders, bool relative) {
  if (!relative) return {{}, protocol_pattern(pattern)};
  const fs::path* folder = folder_of(directory, folders);
  const fs::path& base = folder != nullptr ? *folder : directory;
  const fs::path rest = fs::path(pattern).lexically_relative(glob_of(base));
  return {uri_from_path(base), protocol_pattern(rest.string())};
}

void add_once(const fs::path& directory, std::set<fs::path>& seen, std::vector<fs::path>& list) {
  if (seen.insert(directory).second) list.push_back(directory);
}

void add_directories_of_glob(const std::string& pattern, std::set<fs::path>& seen,
                             std::vector<fs::path>& list) {
  add_once(literal_directory(pattern), seen, list);
  const std::string above = fs::path(pattern).parent_path().string();
  if (!has_wildcards(above)) return;
  std::size_t count = 0;
  GlobBudget budget;
  for (const fs::path& directory : expand_glob(above, budget).files) {
    if (++count > most_glob_directories) return;
    add_once(directory, seen, list);
  }
}

}  // namespace

void WatchSet::add_file(const fs::path& path) { files_.insert(path.lexically_normal()); }

void WatchSet::add_glob(const std::string& pattern) { globs_.insert(pattern); }

void WatchSet::add_profiles(const std::string& pattern) {
  if (has_wildcards(pattern)) {
    globs_.insert(pattern);
  } else {
    files_.insert(literal_path(pattern));
  }
  globs_.insert(pattern + ".*");
}

void WatchSet::add_live_files(const fs::path& directory) {
  globs_.insert(glob_of(directory / "gmon.live") + ".*");
}

void WatchSet::add_folder(const fs::path& folder) { folders_.insert(folder); }

void WatchSet::add_directory(const fs::path& directory) {
  if (directories_.size() < most_directories && known_.insert(directory.native()).second) {
    directories_.push_back(directory);
  }
}

bool WatchSet::concerns(const fs::path& path) const {
  if (files_.contains(path)) return true;
  const bool matches = std::any_of(globs_.begin(), globs_.end(), [&](const std::string& pattern) {
    return glob_matches(pattern, path);
  });
  if (matches) return true;
  const std::string name = path.filename().string();
  const bool profile = may_be_profile_name(name) || name.starts_with("gmon.out.") ||
                       !profile_of_sidecar(name).empty() || live_file_process(name) != 0 ||
                       is_part_of_perf_folder(path);
  return profile && std::any_of(folders_.begin(), folders_.end(),
                                [&](const fs::path& folder) { return is_below(path, folder); });
}

bool WatchSet::searches(const fs::path& directory) const {
  return (is_searched(directory) || folders_.contains(directory)) &&
         std::any_of(folders_.begin(), folders_.end(),
                     [&](const fs::path& folder) { return is_below(directory, folder); });
}

std::vector<WatchedPattern> WatchSet::patterns(const std::vector<fs::path>& workspace_folders,
                                               bool relative) const {
  std::vector<WatchedPattern> result;
  for (const fs::path& folder : folders_) {
    for (const char* pattern : folder_patterns) {
      result.push_back(relative
                           ? WatchedPattern{uri_from_path(folder), pattern}
                           : WatchedPattern{{}, protocol_pattern(glob_of(folder / "")) + pattern});
    }
  }
  for (const fs::path& file : files_) {
    result.push_back(pattern_of(file.parent_path(), glob_of(file), workspace_folders, relative));
  }
  for (const std::string& pattern : globs_) {
    result.push_back(pattern_of(literal_directory(pattern), pattern, workspace_folders, relative));
  }
  std::sort(result.begin(), result.end(), [](const WatchedPattern& a, const WatchedPattern& b) {
    return std::tie(a.base, a.pattern) < std::tie(b.base, b.pattern);
  });
  result.erase(std::unique(result.begin(), result.end()), result.end());
  return result;
}

std::vector<fs::path> WatchSet::directories() const {
  std::vector<fs::path> list;
  std::set<fs::path> seen;
  for (const fs::path& file : files_) add_once(file.parent_path(), seen, list);
  for (const std::string& pattern : globs_) add_directories_of_glob(pattern, seen, list);
  for (const fs::path& folder : folders_) add_once(folder, seen, list);
  for (const fs::path& directory : directories_) add_once(directory, seen, list);
  return list;
}

WatchSet WatchSet::outside(const std::vector<fs::path>& folders) const {
  WatchSet rest;
  for (const fs::path& file : files_) {
    if (folder_of(file, folders) == nullptr) rest.files_.insert(file);
  }
  for (const std::string& pattern : globs_) {
    if (folder_of(literal_directory(pattern), folders) == nullptr) rest.globs_.insert(pattern);
  }
  return rest;
}

}  // namespace gprof::lsp
