// Diagnostics of a source: where its program crashed, whether it still is what the program was
// compiled from, and what is slower than in the base run.
#pragma once

#include <string>
#include <vector>

#include "server/features/feature_context.h"
#include "server/features/file_view.h"
#include "server/protocol/diagnostics.h"

namespace gprof::lsp {

// At most one: information if the changed lines are known, a warning if nothing is known about the
// compiled text. Linear in the file's lines. Pure.
[[nodiscard]] std::vector<Diagnostic> source_diagnostics(const FileView& view);

// A warning at the name of every function of the file that got significantly slower than in the
// base, by self or total time. None without a base.
[[nodiscard]] std::vector<Diagnostic> regression_diagnostics(const FileView& view);

// An error at every line of the file where a signal ended the program: where its own code called
// what crashed, if that is other code. The message has the innermost calls that led there.
// `related`: all of them are related information, with their places by `open_view`.
[[nodiscard]] std::vector<Diagnostic> crash_diagnostics(const FileView& view, bool related,
                                                        const OpenView& open_view);

// What the request's file has by the settings.
[[nodiscard]] std::vector<Diagnostic> diagnostics_of(FeatureContext& context);

// Equal diagnostics always have the same id.
[[nodiscard]] std::string result_id(const std::vector<Diagnostic>& diagnostics);

}  // namespace gprof::lsp
