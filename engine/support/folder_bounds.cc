#include "engine/support/folder_bounds.h"

#include <algorithm>
#include <system_error>

#include <fmt/format.h>

namespace gprof {
namespace {

namespace fs = std::filesystem;

bool lies_below(const fs::path& path, const fs::path& folder) {
  const auto [rest, other] = std::mismatch(folder.begin(), folder.end(), path.begin(), path.end());
  return rest == folder.end();
}

}  // namespace

Expected<Bounds> FolderBounds::of(const std::vector<fs::path>& folders) {
  std::vector<fs::path> real;
  for (const fs::path& folder : folders) {
    std::error_code error;
    fs::path found = fs::canonical(folder, error);
    if (error || !fs::is_directory(found, error)) {
      return Error{ErrorCode::not_found, "expected a folder that is there", folder.string(), {}};
    }
    real.push_back(std::move(found));
  }
  if (real.empty()) return Error{ErrorCode::invalid_argument, "expected a folder", {}, {}};
  return Bounds(new FolderBounds(std::move(real)));
}

bool FolderBounds::contains(const fs::path& path) const {
  std::error_code error;
  const fs::path absolute = fs::absolute(path, error);
  const fs::path real = error ? fs::path() : fs::weakly_canonical(absolute, error);
  // For example a link to itself, or a folder that cannot be searched.
  if (error) return false;
  // A dangling link stays a link: it may later point anywhere.
  if (fs::is_symlink(fs::symlink_status(real, error))) return false;
  return std::any_of(folders_.begin(), folders_.end(),
                     [&](const fs::path& folder) { return lies_below(real, folder); });
}

Error FolderBounds::refusal(const fs::path& path) const {
  std::string list;
  for (const fs::path& folder : folders_) {
    list += fmt::format("{}{}", list.empty() ? "" : ", ", folder.string());
  }
  return {ErrorCode::unreadable,
          fmt::format("lies outside the folders that this server was started for ({}): name its "
                      "folder behind --listen",
                      list),
          path.string(),
          {}};
}

}  // namespace gprof
