// The folders whose files may be read on behalf of somebody who is not to see any others.
//
// A path lies in a folder when the file that it leads to does: symbolic links and `..` are followed
// first. What is not there is judged by the part of its path that is.
// Thread contract: immutable; contains() reads the file system.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "engine/support/expected.h"

namespace gprof {

class FolderBounds {
 public:
  // Fails with not_found where one is no directory that is there; invalid_argument for none at all.
  static Expected<std::shared_ptr<const FolderBounds>> of(
      const std::vector<std::filesystem::path>& folders);

  [[nodiscard]] bool contains(const std::filesystem::path& path) const;
  // Without symbolic links.
  [[nodiscard]] const std::vector<std::filesystem::path>& folders() const { return folders_; }
  // What is said of a path outside.
  [[nodiscard]] Error refusal(const std::filesystem::path& path) const;

 private:
  explicit FolderBounds(std::vector<std::filesystem::path> folders)
      : folders_(std::move(folders)) {}

  std::vector<std::filesystem::path> folders_;
};

// Null: there are no bounds.
using Bounds = std::shared_ptr<const FolderBounds>;

[[nodiscard]] inline bool is_within(const Bounds& bounds, const std::filesystem::path& path) {
  return bounds == nullptr || bounds->contains(path);
}

}  // namespace gprof
