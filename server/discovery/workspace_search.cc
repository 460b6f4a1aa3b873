#include "server/discovery/workspace_search.h"

#include <algorithm>
#include <string>
#include <system_error>

#include "engine/object/image.h"
#include "engine/support/input_file.h"
#include "server/discovery/live_files.h"
#include "server/discovery/profile_names.h"

namespace gprof::lsp {
namespace {

namespace fs = std::filesystem;

// A file that cannot be read now (no descriptors, a failing disk) may still be what it was.
bool may_begin_like_image(const fs::path& path) {
  constexpr std::uint64_t mark_size = 8;
  const auto file = InputFile::open(path);
  if (!file) return file.error().code == ErrorCode::unreadable;
  if (file->size() < 64) return false;
  const auto bytes = file->read_at(0, mark_size);
  return !bytes || may_be_image({reinterpret_cast<const char*>(bytes->data()), bytes->size()});
}

// File systems of Windows know no permission to execute.
bool is_called_like_image(const std::string& name) {
  return name.ends_with(".so") || name.find(".so.") != std::string::npos ||
         name.ends_with(".exe") || name.ends_with(".dll");
}

void consider(const fs::directory_entry& entry, WorkspaceFiles& files) {
  std::error_code error;
  if (!entry.is_regular_file(error) || error) return;
  const fs::path& path = entry.path();
  const std::string name = path.filename().string();
  const bool is_live = live_file_process(name) != 0;
  if (is_profile_name(name) || is_in_perf_folder(path) ||
      (!is_live && may_be_profile_name(name) && begins_like_gmon(path))) {
    files.profiles.insert(path);
    return;
  }
  if (is_live) {
    files.live.insert(path);
    return;
  }
  const auto permissions = entry.status(error).permissions();
  if (error) return;
  const bool can_run = (permissions & fs::perms::owner_exec) != fs::perms::none;
  if ((can_run || is_called_like_image(name)) && may_begin_like_image(path)) {
    files.binaries.insert(path);
  }
}

struct NearDirectory {
  int depth = 0;
  fs::path path;
};

void search(const fs::path& folder, const SearchLimits& limits, std::size_t& seen,
            std::vector<NearDirectory>& directories, WorkspaceFiles& files) {
  std::error_code error;
  fs::recursive_directory_iterator entry(folder, fs::directory_options::skip_permission_denied,
                                         error);
  for (; !error && entry != fs::recursive_directory_iterator(); entry.increment(error)) {
    if (++seen > limits.entries) {
      files.complete = false;
      return;
    }
    std::error_code ignored;
    if (!entry->is_directory(ignored)) {
      consider(*entry, files);
      continue;
    }
    const bool searched = is_searched(entry->path());
    if (!searched || entry.depth() >= limits.depth) entry.disable_recursion_pending();
    if (searched && entry.depth() < limits.directory_depth) {
      directories.push_back({entry.depth(), entry->path()});
    }
  }
  const bool is_gone =
      error == std::errc::no_such_file_or_directory || error == std::errc::not_a_directory;
  if (error && !is_gone) files.interrupted = true;
}

void keep_nearest(std::vector<NearDirectory> found, const SearchLimits& limits,
                  WorkspaceFiles& files) {
  std::stable_sort(found.begin(), found.end(), [](const NearDirectory& a, const NearDirectory& b) {
    return a.depth < b.depth;
  });
  std::set<fs::path> known(files.directories.begin(), files.directories.end());
  for (NearDirectory& directory : found) {
    if (files.directories.size() >= limits.directories) return;
    if (known.insert(directory.path).second) files.directories.push_back(std::move(directory.path));
  }
}

}  // namespace

bool is_searched(const fs::path& directory) {
  const std::string name = directory.filename().string();
  return name != "node_modules" && !(name.size() > 1 && name.front() == '.');
}

WorkspaceFiles search_workspace(const std::vector<fs::path>& folders, const SearchLimits& limits) {
  WorkspaceFiles files;
  std::vector<NearDirectory> directories;
  std::size_t seen = 0;
  for (const fs::path& folder : folders) search(folder, limits, seen, directories, files);
  keep_nearest(std::move(directories), limits, files);
  return files;
}

void consider_path(const fs::path& path, const SearchLimits& limits, WorkspaceFiles& files) {
  std::error_code error;
  if (fs::is_directory(path, error)) {
    std::vector<NearDirectory> directories = {{0, path}};
    std::size_t seen = 0;
    search(path, limits, seen, directories, files);
    keep_nearest(std::move(directories), limits, files);
    return;
  }
  files.profiles.erase(path);
  files.live.erase(path);
  files.binaries.erase(path);
  const fs::directory_entry entry(path, error);
  if (!error) consider(entry, files);
}

}  // namespace gprof::lsp
