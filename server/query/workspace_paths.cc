#include "server/query/workspace_paths.h"

#include <fmt/format.h>

#include "server/protocol/uri.h"
#include "server/text/shown_text.h"

namespace gprof::lsp {

namespace fs = std::filesystem;

std::string WorkspacePaths::shown(const fs::path& path) const {
  const fs::path relative = path.lexically_relative(folder());
  const bool below = !relative.empty() && *relative.begin() != "..";
  return on_one_line((below ? relative : path).string());
}

std::string WorkspacePaths::place(std::string_view uri, std::uint32_t line) const {
  const auto path = path_from_uri(uri);
  return path ? fmt::format("{}:{}", shown(*path), line) : std::string();
}

std::string WorkspacePaths::place(const std::optional<Location>& location) const {
  return location ? place(location->uri, location->range.start.line + 1) : std::string();
}

Expected<fs::path> WorkspacePaths::resolve(std::string_view path, std::string_view argument) const {
  if (path.empty() || path.find('\0') != std::string_view::npos) {
    return Error{ErrorCode::invalid_argument, fmt::format("{}: expected a path", argument), {}, {}};
  }
  const fs::path absolute = (folder() / path).lexically_normal();
  if (bounds_->contains(absolute)) return absolute;
  std::string folders;
  for (const fs::path& folder : bounds_->folders()) {
    folders += (folders.empty() ? "" : ", ") + folder.string();
  }
  return Error{ErrorCode::invalid_argument,
               fmt::format("{}: {} lies outside of the workspace ({})", argument,
                           on_one_line(absolute.string()), folders),
               {},
               {}};
}

}  // namespace gprof::lsp
