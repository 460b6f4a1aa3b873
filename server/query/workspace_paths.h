// Paths in questions and answers: relative to the workspace where they are in it, and never outside
// of the folders that may be read.
//
// Ownership: shares the bounds. Thread contract: immutable; resolve() reads the file system.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/support/expected.h"
#include "engine/support/folder_bounds.h"
#include "server/protocol/basic_types.h"

namespace gprof::lsp {

class WorkspacePaths {
 public:
  // `bounds`: of these folders, the first of which is the one that paths are relative to.
  explicit WorkspacePaths(Bounds bounds) : bounds_(std::move(bounds)) {}

  [[nodiscard]] const std::filesystem::path& folder() const { return bounds_->folders().front(); }
  [[nodiscard]] const Bounds& bounds() const { return bounds_; }

  // As answers name it.
  [[nodiscard]] std::string shown(const std::filesystem::path& path) const;
  // "src/parse.c:12", of a line that starts at 1; empty if the URI names no file.
  [[nodiscard]] std::string place(std::string_view uri, std::uint32_t line) const;
  [[nodiscard]] std::string place(const std::optional<Location>& location) const;
  // The absolute path of what an argument names. `argument` is its name in messages. Errors:
  // invalid_argument, also for a path that leads out of the folders.
  [[nodiscard]] Expected<std::filesystem::path> resolve(std::string_view path,
                                                        std::string_view argument) const;

 private:
  Bounds bounds_;
};

}  // namespace gprof::lsp
