// What the name of a metric means: the one place that settings, commands and requests go through.
//
// `time`, `self`, `total`, `calls` and `executions` are shown of the first metric of cost. Any
// other name is that of a metric of cost, which is then shown as `time` is, or of a derived one,
// built in or of the setting gprof.derived. Thread contract: pure functions.
#pragma once

#include <string>
#include <vector>

#include "engine/metrics/derived_metrics.h"
#include "engine/snapshot.h"
#include "engine/support/expected.h"
#include "server/protocol/settings.h"
#include "server/sources/loaded_program.h"

namespace gprof::lsp {

[[nodiscard]] DerivedMetrics derived_metrics_of(const Snapshot& snapshot,
                                                const std::vector<DerivedSetting>& settings);

// Errors: invalid_argument that names the metrics there are.
[[nodiscard]] Expected<ChosenMetric> chosen_metric(const Snapshot& snapshot,
                                                   const std::string& name,
                                                   const std::vector<DerivedSetting>& settings);
// By which the session shows the program: `time` where it has not what the settings name.
[[nodiscard]] ChosenMetric shown_metric(const LoadedProgram& program,
                                        const ClientSettings& settings);

}  // namespace gprof::lsp
