#include "engine/dwarf/source_files.h"

namespace gprof::dwarf {

std::vector<FileId> SourceFiles::numbers_of(std::span<const std::string> canonical_paths) {
  std::vector<FileId> result;
  result.reserve(canonical_paths.size());
  const std::lock_guard lock(mutex_);
  for (const std::string& path : canonical_paths) {
    if (path.empty()) {
      result.push_back(no_file);
      continue;
    }
    auto known = numbers_.find(path);
    if (known == numbers_.end()) {
      paths_.push_back(path);
      known = numbers_.emplace(paths_.back(), static_cast<FileId>(paths_.size())).first;
    }
    result.push_back(known->second);
  }
  return result;
}

std::optional<FileId> SourceFiles::find(std::string_view canonical_path) const {
  const std::lock_guard lock(mutex_);
  const auto known = numbers_.find(canonical_path);
  if (known == numbers_.end()) return std::nullopt;
  return known->second;
}

std::string SourceFiles::path(FileId file) const {
  const std::lock_guard lock(mutex_);
  if (file == no_file || file > paths_.size()) return {};
  return paths_[file - 1];
}

std::size_t SourceFiles::size() const {
  const std::lock_guard lock(mutex_);
  return paths_.size();
}

}  // namespace gprof::dwarf
