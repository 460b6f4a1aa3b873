// Diagnostics of a source: whether it still is what the program was compiled from, and what is
// slower than in the base run.
#pragma once

#include <string>
#include <vector>

#include "server/features/file_view.h"
#include "server/protocol/diagnostics.h"

namespace gprof::lsp {

// At most one: information if the changed lines are known, a warning if nothing is known about the
// compiled text. Linear in the file's lines. Pure.
[[nodiscard]] std::vector<Diagnostic> source_diagnostics(const FileView& view);

// A warning at the name of every function of the file that got significantly slower than in the
// base, by self or total time. None without a base.
[[nodiscard]] std::vector<Diagnostic> regression_diagnostics(const FileView& view);

// Both.
[[nodiscard]] std::vector<Diagnostic> diagnostics_of(const FileView& view);

// Equal diagnostics always have the same id.
[[nodiscard]] std::string result_id(const std::vector<Diagnostic>& diagnostics);

}  // namespace gprof::lsp
