// gprof/metrics: what a profile tells, and what can be selected of it.
//
// Thread contract: pure functions.
#pragma once

#include <vector>

#include "server/features/metric_values.h"

namespace gprof::lsp {

// Totals are of the part that the program shows. Leaves the generation empty. Errors: those of
// view_of().
[[nodiscard]] Expected<MetricsResult> metric_list(const LoadedProgram& program,
                                                  const std::vector<DerivedSetting>& settings);

}  // namespace gprof::lsp
