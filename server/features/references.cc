#include "server/features/references.h"

#include <algorithm>

namespace gprof::lsp {

std::vector<Location> references(const FileView& view, Position position, bool include_declaration,
                                 const OpenView& open_view) {
  std::vector<Location> locations;
  const auto found = function_at(view, position, open_view);
  if (!found) return locations;
  const std::size_t column =
      view.text->offset_of(position) - view.text->lines().start(position.line);
  const std::string_view word = word_at(view.text->line(position.line + 1), column);
  if (!word.empty() && word != last_component(found->function->name)) return locations;

  const auto definition = name_range(found->view, *found->function);
  if (include_declaration && definition) locations.push_back({found->view.uri, *definition});
  for (Location& call : caller_locations(*found, open_view)) {
    // A line of several callers (copies of a static function) is one reference.
    if (std::find(locations.begin(), locations.end(), call) == locations.end()) {
      locations.push_back(std::move(call));
    }
  }
  return locations;
}

}  // namespace gprof::lsp
