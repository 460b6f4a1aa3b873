#include "server/features/own_location.h"

#include <algorithm>
#include <vector>

#include "server/sources/source_paths.h"

namespace gprof::lsp {

std::optional<SourceLocation> own_location(const ProgramSources& sources, Address call) {
  const std::vector<SourceLocation> locations = sources.locations_of_call(call);
  if (locations.empty()) return std::nullopt;
  const auto own = std::ranges::find_if(locations, [&](const SourceLocation& location) {
    return !is_of_the_system(sources.path(location.file));
  });
  return own != locations.end() ? *own : locations.back();
}

}  // namespace gprof::lsp
