#include "server/sources/source_paths.h"

#include <algorithm>

namespace gprof::lsp {
namespace {

namespace fs = std::filesystem;

// More are other programs' files, or copies of these.
constexpr std::size_t most_trees = 64;

std::optional<fs::path> real_path(const fs::path& path) {
  std::error_code error;
  fs::path real = fs::canonical(path, error);
  if (error) return std::nullopt;
  return real;
}

bool is_here(const fs::path& path) {
  std::error_code error;
  return fs::exists(path, error);
}

bool is_same_file(const fs::path& a, const fs::path& b) {
  if (a == b) return true;
  const auto real = real_path(a);
  return real && real == real_path(b);
}

std::vector<std::string> components(const fs::path& path) {
  std::vector<std::string> parts;
  for (const auto& part : path.lexically_normal().relative_path()) {
    if (!part.empty() && part != ".") parts.push_back(part.string());
  }
  return parts;
}

std::size_t common_ending(const fs::path& a, const fs::path& b) {
  const auto parts_a = components(a);
  const auto parts_b = components(b);
  const auto [at_a, at_b] =
      std::mismatch(parts_a.rbegin(), parts_a.rend(), parts_b.rbegin(), parts_b.rend());
  return static_cast<std::size_t>(at_a - parts_a.rbegin());
}

// Where there is a workspace, what lies above it is not the build's.
std::vector<fs::path> roots_of(const fs::path& executable, const std::vector<fs::path>& folders) {
  std::vector<fs::path> roots;
  fs::path folder = executable.lexically_normal().parent_path();
  const auto may_be = [&] { return folders.empty() || lies_in(folder, folders); };
  for (; folder.has_relative_path() && may_be(); folder = folder.parent_path()) {
    roots.push_back(folder);
  }
  for (const fs::path& one : folders) {
    if (std::find(roots.begin(), roots.end(), one) == roots.end()) roots.push_back(one);
  }
  return roots;
}

}  // namespace

bool is_of_the_system(const fs::path& file) {
  const std::string& path = file.native();
  return path.starts_with("/usr/include/") || path.starts_with("/usr/lib/");
}

bool lies_in(const fs::path& path, const std::vector<fs::path>& folders) {
  const fs::path normal = path.lexically_normal();
  return std::any_of(folders.begin(), folders.end(), [&](const fs::path& folder) {
    const auto [at_folder, at_path] =
        std::mismatch(folder.begin(), folder.end(), normal.begin(), normal.end());
    return at_folder == folder.end() || at_folder->empty();
  });
}

std::optional<std::string> exchange_prefix(std::string_view path, std::string_view from,
                                           std::string_view to) {
  while (from.size() > 1 && from.ends_with('/')) from.remove_suffix(1);
  while (to.size() > 1 && to.ends_with('/')) to.remove_suffix(1);
  if (from.empty() || !path.starts_with(from)) return std::nullopt;
  const std::string_view rest = path.substr(from.size());
  // A prefix of directories, not of characters: /src is not a prefix of /src2/a.c.
  if (!rest.empty() && rest.front() != '/' && from != "/") return std::nullopt;
  return fs::path(std::string(to) + (from == "/" ? "/" : "") + std::string(rest))
      .lexically_normal()
      .string();
}

SourcePaths::SourcePaths(const ProgramSources& sources, std::vector<PathMapping> path_map,
                         std::vector<fs::path> workspace_folders, Bounds bounds,
                         const fs::path& executable)
    : sources_(sources),
      path_map_(std::move(path_map)),
      workspace_folders_(std::move(workspace_folders)),
      bounds_(std::move(bounds)),
      roots_(roots_of(executable, workspace_folders_)) {}

std::optional<FileId> SourcePaths::file_of(const fs::path& workspace_path) const {
  const std::string key = workspace_path.lexically_normal().string();
  {
    const std::lock_guard lock(mutex_);
    const auto known = files_.find(key);
    if (known != files_.end()) return known->second;
  }
  const auto found = find_file(key);
  if (found) learn_tree(key, *found);
  const std::lock_guard lock(mutex_);
  files_[key] = found;
  return found;
}

// A file that is where it was built, or where the path map says, shows nothing new.
void SourcePaths::learn_tree(const fs::path& workspace_path, FileId file) const {
  const fs::path build_path = sources_.path(file);
  const std::size_t common = common_ending(workspace_path, build_path);
  if (common == 0 || workspace_path == build_path) return;
  Tree tree{components(build_path), workspace_path};
  tree.built.resize(tree.built.size() - common);
  for (std::size_t i = 0; i < common; ++i) tree.here = tree.here.parent_path();
  const std::lock_guard lock(mutex_);
  if (std::find(trees_.begin(), trees_.end(), tree) != trees_.end()) return;
  if (trees_.size() == most_trees) return;
  trees_.push_back(std::move(tree));
  // What was not found before may be found there.
  std::erase_if(paths_, [](const auto& known) { return !known.second; });
}

std::optional<FileId> SourcePaths::find_file(const fs::path& path) const {
  for (const PathMapping& mapping : path_map_) {
    const auto build_path = exchange_prefix(path.string(), mapping.to, mapping.from);
    if (!build_path) continue;
    if (const auto file = sources_.find_file(*build_path)) return file;
  }
  if (const auto file = sources_.find_file(path.string())) return file;
  if (const auto file = find_through_links(path)) return file;
  return find_by_ending(path);
}

std::optional<FileId> SourcePaths::find_through_links(const fs::path& path) const {
  const auto real = real_path(path);
  if (!real) return std::nullopt;
  if (const auto file = sources_.find_file(real->string())) return file;
  for (const std::string& name : {path.filename().string(), real->filename().string()}) {
    for (const FileId file : sources_.files_named(name)) {
      const fs::path build_path = sources_.path(file);
      if (build_path.is_absolute() && real_path(build_path) == real) return file;
    }
  }
  return std::nullopt;
}

std::optional<FileId> SourcePaths::find_by_ending(const fs::path& path) const {
  std::optional<FileId> best;
  std::size_t longest = 0;
  bool several = false;
  for (const FileId file : sources_.files_named(path.filename().string())) {
    const fs::path build_path = sources_.path(file);
    // A build path that exists here is that file and no other.
    if (build_path.is_absolute() && is_here(build_path)) continue;
    if (build_path.is_relative()) {
      const auto home = home_of(build_path);
      if (home && is_same_file(*home, path)) return file;
      if (home) continue;
    }
    const std::size_t common = common_ending(path, build_path);
    const bool whole = !build_path.is_absolute() && common == components(build_path).size();
    // One equal base name proves nothing.
    if (common < 2 && !whole) continue;
    several = several ? common <= longest : common == longest;
    if (common <= longest) continue;
    longest = common;
    best = file;
  }
  return several ? std::nullopt : best;
}

// Where the file of a relative path is. The folder that was compiled in may stand before what is
// relative to another one: of the folder /src the compiler was told to call ".", and in /src/build
// it was given /src/a.cc, it keeps "./build" and "./a.cc".
std::optional<fs::path> SourcePaths::home_of(const fs::path& relative_path) const {
  {
    const std::lock_guard lock(mutex_);
    const auto known = homes_.find(relative_path.native());
    if (known != homes_.end()) return known->second;
  }
  const auto parts = components(relative_path);
  std::optional<fs::path> home;
  for (std::size_t skipped = 0; skipped < parts.size() && !home; ++skipped) {
    for (const fs::path& root : roots_) {
      fs::path compiled_in = root;
      for (std::size_t i = 0; i < skipped; ++i) compiled_in /= parts[i];
      fs::path candidate = root;
      for (std::size_t i = skipped; i < parts.size(); ++i) candidate /= parts[i];
      if (!is_here(candidate) || !is_here(compiled_in)) continue;
      home = std::move(candidate);
      break;
    }
  }
  const std::lock_guard lock(mutex_);
  homes_[relative_path.native()] = home;
  return home;
}

std::optional<fs::path> SourcePaths::workspace_path(FileId file) const {
  {
    const std::lock_guard lock(mutex_);
    const auto known = paths_.find(file);
    if (known != paths_.end()) return known->second;
  }
  auto found = find_in_workspace(file);
  if (found && !is_within(bounds_, *found)) found.reset();
  const std::lock_guard lock(mutex_);
  paths_[file] = found;
  return found;
}

std::optional<fs::path> SourcePaths::find_in_workspace(FileId file) const {
  const std::string build_path = sources_.path(file);
  for (const PathMapping& mapping : path_map_) {
    const auto mapped = exchange_prefix(build_path, mapping.from, mapping.to);
    if (mapped && is_here(*mapped)) return fs::path(*mapped);
  }
  const fs::path path = build_path;
  if (path.is_absolute() && is_here(path)) return path;
  if (path.is_relative()) {
    if (auto home = home_of(path)) return home;
  }
  if (auto found = find_in_trees(file)) return found;
  const auto parts = components(path);
  for (const fs::path& folder : workspace_folders_) {
    for (std::size_t skipped = 0; skipped < parts.size(); ++skipped) {
      fs::path candidate = folder;
      for (std::size_t i = skipped; i < parts.size(); ++i) candidate /= parts[i];
      // The candidate must map back to the same file of the build.
      if (is_here(candidate) && find_file(candidate) == file) return candidate;
    }
  }
  return std::nullopt;
}

std::optional<fs::path> SourcePaths::find_in_trees(FileId file) const {
  const auto parts = components(sources_.path(file));
  std::vector<Tree> trees;
  {
    const std::lock_guard lock(mutex_);
    trees = trees_;
  }
  for (const Tree& tree : trees) {
    const auto [at_tree, rest] =
        std::mismatch(tree.built.begin(), tree.built.end(), parts.begin(), parts.end());
    if (at_tree != tree.built.end()) continue;
    fs::path candidate = tree.here;
    for (auto part = rest; part != parts.end(); ++part) candidate /= *part;
    if (is_here(candidate) && find_file(candidate) == file) return candidate;
  }
  return std::nullopt;
}

}  // namespace gprof::lsp
