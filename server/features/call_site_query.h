// Whose calls gprof/callSites lists: those of the function at a place of a document, or of one that
// is named, of the program or of a library.
//
// Thread contract: pure, except for reading the functions' files through `locations` and
// `open_view`.
#pragma once

#include <string_view>

#include "server/features/call_hierarchy.h"
#include "server/features/function_locations.h"
#include "server/protocol/graph_answers.h"

namespace gprof::lsp {

// The callers of a library's function whose name is at the position, else the calls of what
// function_at() finds there; without a name if it finds nothing. `function`: as there.
[[nodiscard]] CallSitesResult call_sites_at(const FileView& view, Position position, bool callers,
                                            std::string_view function, FunctionLocations& locations,
                                            const OpenView& open_view, bool demangle);

// Of all functions with that linkage name or name as shown, else of a library's function. What a
// library's function calls is not known.
[[nodiscard]] CallSitesResult call_sites_named(std::string_view symbol, bool callers,
                                               FunctionLocations& locations, bool demangle);

}  // namespace gprof::lsp
