// textDocument/codeLens: one lens a function, which opens its callers.
#pragma once

#include <vector>

#include "server/features/file_view.h"

namespace gprof::lsp {

inline constexpr std::string_view show_callers_command = "gprof.showCallers";
inline constexpr std::string_view show_callees_command = "gprof.showCallees";

// In the order of the lines. Pure.
[[nodiscard]] std::vector<CodeLens> code_lenses(const FileView& view);

}  // namespace gprof::lsp
