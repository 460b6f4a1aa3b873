// The folders that files may be read from on behalf of somebody who must not see any others.
//
// A path lies in a folder if the file it resolves to does: symbolic links and `..` are followed
// first. A path that does not exist is judged by the part of it that does.
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
  // Fails with not_found if one is not an existing directory; invalid_argument if there are none.
  static Expected<std::shared_ptr<const FolderBounds>> of(
      const std::vector<std::filesystem::path>& folders);

  [[nodiscard]] bool contains(const std::filesystem::path& path) const;
  // Without symbolic links.
  [[nodiscard]] const std::vector<std::filesystem::path>& folders() const { return folders_; }
  // The error for a path outside the folders.
  [[nodiscard]] Error refusal(const std::filesystem::path& path) const;

 private:
  explicit FolderBounds(std::vector<std::filesystem::path> folders)
      : folders_(std::move(folders)) {}

  std::vector<std::filesystem::path> folders_;
};

// Null means no bounds.
using Bounds = std::shared_ptr<const FolderBounds>;

[[nodiscard]] inline bool is_within(const Bounds& bounds, const std::filesystem::path& path) {
  return bounds == nullptr || bounds->contains(path);
}

}  // namespace gprof
