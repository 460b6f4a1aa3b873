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

}  // namespace

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
                         std::vector<fs::path> workspace_folders, Bounds bounds)
    : sources_(sources),
      path_map_(std::move(path_map)),
      workspace_folders_(std::move(workspace_folders)),
      bounds_(std::move(bounds)) {}

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
      if (real_path(sources_.path(file)) == real) return file;
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
