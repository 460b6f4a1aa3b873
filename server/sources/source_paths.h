// Maps between the paths that the compiler recorded and the files of the workspace: by the user's
// path map, through symbolic links, and by trailing directories if a build was moved. A file of the
// workspace that was found by these shows where the rest of its tree is.
//
// Relative paths, which compilers leave where they were told to forget the build folder, begin in
// the nearest folder above the executable, or in a folder of the workspace, that has the file.
//
// Ownership: borrows the sources of a program, which must outlive it. Thread contract: any thread;
// answers are cached.
#pragma once

#include <filesystem>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "engine/source/program_sources.h"
#include "engine/support/folder_bounds.h"
#include "server/protocol/settings.h"

namespace gprof::lsp {

// Whether the file came with the system, as headers of its libraries do.
[[nodiscard]] bool is_of_the_system(const std::filesystem::path& file);

class SourcePaths {
 public:
  SourcePaths(const ProgramSources& sources, std::vector<PathMapping> path_map,
              std::vector<std::filesystem::path> workspace_folders, Bounds bounds = nullptr,
              const std::filesystem::path& executable = {});

  // The build's file for a file of the workspace; none if it was not part of the build.
  [[nodiscard]] std::optional<FileId> file_of(const std::filesystem::path& workspace_path) const;
  // An existing file for the build's; none if the sources are not available, or may not be shown.
  [[nodiscard]] std::optional<std::filesystem::path> workspace_path(FileId file) const;
  [[nodiscard]] const std::vector<std::filesystem::path>& workspace_folders() const {
    return workspace_folders_;
  }
  // Where shown files must be.
  [[nodiscard]] const Bounds& bounds() const { return bounds_; }

 private:
  // A folder of the build, and where it is in the workspace.
  struct Tree {
    std::vector<std::string> built;  // the path's parts
    std::filesystem::path here;

    friend bool operator==(const Tree&, const Tree&) = default;
  };
  void learn_tree(const std::filesystem::path& workspace_path, FileId file) const;
  [[nodiscard]] std::optional<std::filesystem::path> find_in_trees(FileId file) const;
  [[nodiscard]] std::optional<FileId> find_file(const std::filesystem::path& path) const;
  [[nodiscard]] std::optional<FileId> find_through_links(const std::filesystem::path& path) const;
  [[nodiscard]] std::optional<FileId> find_by_ending(const std::filesystem::path& path) const;
  [[nodiscard]] std::optional<std::filesystem::path> find_in_workspace(FileId file) const;
  [[nodiscard]] std::optional<std::filesystem::path> home_of(
      const std::filesystem::path& relative_path) const;

  const ProgramSources& sources_;
  const std::vector<PathMapping> path_map_;
  const std::vector<std::filesystem::path> workspace_folders_;
  const Bounds bounds_;
  const std::vector<std::filesystem::path> roots_;  // of relative paths, the nearest first
  mutable std::mutex mutex_;
  mutable std::vector<Tree> trees_;
  mutable std::unordered_map<std::string, std::optional<FileId>> files_;
  mutable std::unordered_map<FileId, std::optional<std::filesystem::path>> paths_;
  mutable std::unordered_map<std::string, std::optional<std::filesystem::path>> homes_;
};

// Whether the path is in one of the folders, or is one, by its parts alone.
[[nodiscard]] bool lies_in(const std::filesystem::path& path,
                           const std::vector<std::filesystem::path>& folders);

// `path` with the prefix `from` replaced by `to`; none if it does not begin with `from`.
[[nodiscard]] std::optional<std::string> exchange_prefix(std::string_view path,
                                                         std::string_view from,
                                                         std::string_view to);

}  // namespace gprof::lsp
