#include "server/features/metric_list.h"

#include <utility>

#include "engine/snapshot_view.h"

namespace gprof::lsp {
namespace {

MetricDescription description_of(const Metric& metric) {
  MetricDescription description;
  description.name = metric.name;
  description.label = metric.label;
  description.unit = metric.unit;
  description.kind = metric.kind;
  description.origin = metric.origin;
  return description;
}

// Of one metric alone: a profile may have more of them than fit into one table.
Expected<void> put_total(MetricDescription& description, const LoadedProgram& program,
                         const std::vector<DerivedSetting>& settings) {
  TRY_ASSIGN(const auto columns, MetricColumns::of(program, {description.name}, settings));
  const auto total = columns.totals().front();
  if (!total) return {};
  const MetricValues values = metric_values(*total);
  description.total = values.self;
  description.total_error = values.self_error;
  return {};
}

void put_dimensions(MetricsResult& result, const Dimensions& dimensions) {
  for (const RecordedProcess& process : dimensions.processes) {
    result.processes.push_back({process.process, process.name, process.from, process.to});
  }
  for (const RecordedThread& thread : dimensions.threads) {
    result.threads.push_back({thread.process, thread.thread, thread.name, thread.cpu});
  }
  result.length = dimensions.length;
  result.slice_width = dimensions.slice_width;
}

}  // namespace

Expected<MetricsResult> metric_list(const LoadedProgram& program,
                                    const std::vector<DerivedSetting>& settings) {
  MetricsResult result;
  result.program = program.name;
  const auto whole = whole_of(program.snapshot);
  const Snapshot& snapshot = *whole;
  for (const Metric& metric : snapshot.metrics()) result.metrics.push_back(description_of(metric));
  const DerivedMetrics derived = derived_metrics_of(snapshot, settings);
  for (const DerivedMetric& metric : derived.metrics) {
    result.metrics.push_back(description_of(metric.metric));
  }
  for (const Error& problem : derived.problems) result.problems.push_back(problem.message);
  for (MetricDescription& description : result.metrics) {
    TRY(put_total(description, program, settings));
  }
  put_dimensions(result, snapshot.dimensions());
  return result;
}

}  // namespace gprof::lsp
