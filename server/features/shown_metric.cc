#include "server/features/shown_metric.h"

#include <algorithm>

#include <fmt/format.h>

namespace gprof::lsp {
namespace {

Error unknown_metric(const Snapshot& snapshot, const std::string& name,
                     const DerivedMetrics& derived, const std::vector<DerivedSetting>& settings) {
  std::string known = list_of_names<ShownMetric>();
  for (const Metric& metric : snapshot.metrics()) {
    if (!value_named<ShownMetric>(metric.name)) known += ", " + metric.name;
  }
  for (const DerivedMetric& metric : derived.metrics) known += ", " + metric.metric.name;
  std::string message =
      fmt::format("the profile has no metric {}; it has {}", name.empty() ? "\"\"" : name, known);
  const bool is_defined = std::any_of(settings.begin(), settings.end(),
                                      [&](const DerivedSetting& d) { return d.name == name; });
  if (is_defined) {
    for (const Error& problem : derived.problems) message += "; " + problem.message;
  }
  return Error{ErrorCode::invalid_argument, std::move(message), {}, std::nullopt};
}

}  // namespace

DerivedMetrics derived_metrics_of(const Snapshot& snapshot,
                                  const std::vector<DerivedSetting>& settings) {
  std::vector<DerivedMetricDefinition> definitions;
  for (const DerivedSetting& derived : settings) {
    definitions.push_back({derived.name, derived.formula, derived.unit});
  }
  return derived_metrics(snapshot.metrics(), definitions);
}

Expected<ChosenMetric> chosen_metric(const Snapshot& snapshot, const std::string& name,
                                     const std::vector<DerivedSetting>& settings) {
  ChosenMetric chosen;
  chosen.name = name;
  if (const auto shown = value_named<ShownMetric>(name)) {
    chosen.shown = *shown;
    return chosen;
  }
  for (const Metric& metric : snapshot.metrics()) {
    if (metric.name != name) continue;
    chosen.cost = name;
    return chosen;
  }
  DerivedMetrics derived = derived_metrics_of(snapshot, settings);
  for (DerivedMetric& metric : derived.metrics) {
    if (metric.metric.name != name) continue;
    chosen.derived = std::make_shared<const DerivedMetric>(std::move(metric));
    return chosen;
  }
  return unknown_metric(snapshot, name, derived, settings);
}

ChosenMetric shown_metric(const LoadedProgram& program, const ClientSettings& settings) {
  if (program.view) return program.view->metric;
  ChosenMetric chosen;
  if (const auto shown = value_named<ShownMetric>(settings.metric)) {
    chosen.name = settings.metric;
    chosen.shown = *shown;
  }
  return chosen;
}

}  // namespace gprof::lsp
