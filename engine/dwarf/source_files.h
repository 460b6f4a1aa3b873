// Numbers source files: one number per canonical path, the same in all units. Also keeps the
// digests of their texts.
//
// Ownership: owns the paths. Thread contract: any thread; locked inside.
#pragma once

#include <deque>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "engine/dwarf/debug_information.h"
#include "engine/support/snapshot_file.h"

namespace gprof::dwarf {

class SourceFiles {
 public:
  // One number for each path, which must be canonical; no_file for an empty one.
  [[nodiscard]] std::vector<FileId> numbers_of(std::span<const std::string> canonical_paths);
  [[nodiscard]] std::optional<FileId> find(std::string_view canonical_path) const;
  // Empty for no_file and for numbers that were never given out.
  [[nodiscard]] std::string path(FileId file) const;
  [[nodiscard]] std::size_t size() const;

  // `digests` match `files` one by one; those of no_file are ignored.
  void add_digests(std::span<const FileId> files,
                   std::span<const std::optional<SourceDigest>> digests);
  // None if no unit has one, or two units have different ones.
  [[nodiscard]] std::optional<SourceDigest> digest(FileId file) const;
  [[nodiscard]] bool has_conflicting_digests(FileId file) const;

  void store(SnapshotFileWriter& index) const;
  // What store() wrote; call before adding anything else.
  void restore(SnapshotFileReader& index);

 private:
  struct KnownDigest {
    SourceDigest digest;
    bool conflicting = false;
  };

  mutable std::mutex mutex_;
  std::deque<std::string> paths_;  // by number - 1; a deque keeps the views below valid
  std::unordered_map<std::string_view, FileId> numbers_;
  std::unordered_map<FileId, KnownDigest> digests_;
};

}  // namespace gprof::dwarf
