// Diagnostics of a source: whether it is still the one that the program was compiled from, and what
// got slower since the base.
#pragma once

#include <string>
#include <vector>

#include "server/features/file_view.h"
#include "server/protocol/diagnostics.h"

namespace gprof::lsp {

// At most one: information where changed lines are known one by one, a warning where nothing is
// known of the text that was compiled. Costs as much as the file has lines. Pure.
[[nodiscard]] std::vector<Diagnostic> source_diagnostics(const FileView& view);

// A warning at the name of every function of the file that got significantly slower than in the
// base, by self or total time. None without a base.
[[nodiscard]] std::vector<Diagnostic> regression_diagnostics(const FileView& view);

// Both.
[[nodiscard]] std::vector<Diagnostic> diagnostics_of(const FileView& view);

// The same for the same diagnostics, whenever they are asked for.
[[nodiscard]] std::string result_id(const std::vector<Diagnostic>& diagnostics);

}  // namespace gprof::lsp
