#include "server/discovery/workspace_folder.h"

namespace gprof::lsp {

const std::filesystem::path* folder_of(const std::filesystem::path& file,
                                       const std::vector<std::filesystem::path>& folders) {
  const std::filesystem::path* found = nullptr;
  for (const std::filesystem::path& folder : folders) {
    const std::filesystem::path below = file.lexically_relative(folder);
    const bool holds = !below.empty() && *below.begin() != "..";
    const bool is_inner = found == nullptr || folder.native().size() > found->native().size();
    if (holds && is_inner) found = &folder;
  }
  return found;
}

}  // namespace gprof::lsp
