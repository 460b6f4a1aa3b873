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

void SourceFiles::add_digests(std::span<const FileId> files,
                              std::span<const std::optional<SourceDigest>> digests) {
  const std::lock_guard lock(mutex_);
  for (std::size_t i = 0; i < files.size() && i < digests.size(); ++i) {
    if (files[i] == no_file || !digests[i]) continue;
    const auto [known, inserted] = digests_.try_emplace(files[i], KnownDigest{*digests[i]});
    if (known->second.digest != *digests[i]) known->second.conflicting = true;
  }
}

std::optional<SourceDigest> SourceFiles::digest(FileId file) const {
  const std::lock_guard lock(mutex_);
  const auto known = digests_.find(file);
  if (known == digests_.end() || known->second.conflicting) return std::nullopt;
  return known->second.digest;
}

bool SourceFiles::has_conflicting_digests(FileId file) const {
  const std::lock_guard lock(mutex_);
  const auto known = digests_.find(file);
  return known != digests_.end() && known->second.conflicting;
}

namespace {

struct StoredDigest {
  FileId file = no_file;
  std::uint32_t conflicting = 0;
  SourceDigest digest = {};
};

}  // namespace

void SourceFiles::store(SnapshotFileWriter& index) const {
  const std::lock_guard lock(mutex_);
  index.list(paths_, [&](const std::string& path) { index.text(path); });
  std::vector<StoredDigest> digests;
  for (const auto& [file, known] : digests_) {
    digests.push_back({file, known.conflicting ? 1U : 0U, known.digest});
  }
  index.array(digests);
}

void SourceFiles::restore(SnapshotFileReader& index) {
  const std::lock_guard lock(mutex_);
  index.list(paths_, [&](std::string& path) { index.text(path); });
  numbers_.reserve(paths_.size());
  for (std::size_t i = 0; i < paths_.size(); ++i) {
    numbers_.emplace(paths_[i], static_cast<FileId>(i + 1));
  }
  for (const StoredDigest& stored : index.view<StoredDigest>()) {
    if (stored.file == no_file || stored.file > paths_.size()) index.fail();
    digests_.emplace(stored.file, KnownDigest{stored.digest, stored.conflicting != 0});
  }
}

}  // namespace gprof::dwarf
