// textDocument/codeAction: where to go from a place, and what to do with its profile, for clients
// that have no menus for it. Editors with an extension of their own are offered none.
//
// Thread contract: pure, except for reading the neighbours' files through `open_view`.
#pragma once

#include <string_view>
#include <vector>

#include "server/discovery/file_age.h"
#include "server/features/call_hierarchy.h"
#include "server/features/file_view.h"
#include "server/sources/loaded_program.h"

namespace gprof::lsp {

inline constexpr std::string_view code_action_kind = "source.gprof";
inline constexpr std::string_view open_command = "gprof.open";

// Whether actions of this server are among the wanted kinds; none wanted: all are.
[[nodiscard]] bool wants_code_actions(const std::vector<std::string>& kinds);

// The hottest calls to and from the function at the position first, then those about the program.
// Empty if there is no profiled function. `programs`: the one that is shown first, which is the one
// that can be compared. `now`: nanoseconds since the epoch.
[[nodiscard]] std::vector<CodeAction> code_actions(const FileView& view, Position position,
                                                   const OpenView& open_view,
                                                   const std::vector<LoadedProgram>& programs,
                                                   FileTime now);

}  // namespace gprof::lsp
