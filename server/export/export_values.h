// What all metrics of a profile say about the functions and lines of an export: the figures of each
// metric of cost, counts, and formulas of them.
//
// Units: as the metric's. Ownership: borrows the tables and the names that it is made of, shares
// the views. Thread contract: one thread.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/metrics/derived_metrics.h"
#include "engine/metrics/metric_figures.h"
#include "engine/snapshot_view.h"
#include "server/export/export_lines.h"
#include "server/export/export_request.h"
#include "server/export/export_tables.h"

namespace gprof::lsp {

// By the name of the metric; without those that say nothing.
using FiguresByName = std::map<std::string, MetricFigures>;

// A function of any of the metrics.
struct ValuedFunction {
  ExportFunction shown;         // by the exported metric; nothing where only others have it
  FrameNames* names = nullptr;  // of its frame
  std::vector<const ExportFunction*> by_cost;  // null where a metric does not have it
};

struct ValuedLine {
  ExportLine shown;  // as above
  FiguresByName values;
};

struct TotalledMetric {
  Metric metric;
  std::optional<double> total;
};

class ExportValues {
 public:
  // `tables` and `names`: of the exported view. Errors: those of view_of().
  [[nodiscard]] static Expected<ExportValues> of(const std::shared_ptr<const Snapshot>& view,
                                                 const ExportTables& tables, FrameNames& names,
                                                 const ExportRequest& request);

  // Those of the profile, then derived ones.
  [[nodiscard]] std::vector<TotalledMetric> metrics() const;
  // Those of the tables, in their order, then what only other metrics have.
  [[nodiscard]] const std::vector<ValuedFunction>& functions() const { return functions_; }
  [[nodiscard]] FiguresByName values(const ValuedFunction& function) const;
  // As function_lines(), of all metrics.
  [[nodiscard]] std::vector<ValuedLine> lines(const ValuedFunction& function) const;

 private:
  struct Cost {
    Metric metric;
    std::shared_ptr<const Snapshot> view;
    std::unique_ptr<const ExportTables> own_tables;  // null for the exported view
    std::unique_ptr<FrameNames> own_names;
    const ExportTables* tables = nullptr;
    FrameNames* names = nullptr;
  };

  ExportValues() = default;
  [[nodiscard]] Expected<void> add_costs(const ExportTables& tables, FrameNames& names,
                                         bool demangle);
  void add_functions();
  [[nodiscard]] std::optional<double> total_of(const std::string& name) const;
  void add_derived(FiguresByName& values) const;

  std::shared_ptr<const Snapshot> view_;
  std::vector<Cost> costs_;
  std::size_t exported_ = 0;  // of costs_
  std::vector<DerivedMetric> derived_;
  std::vector<ValuedFunction> functions_;
};

}  // namespace gprof::lsp
