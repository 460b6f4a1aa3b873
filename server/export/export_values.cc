#include "server/export/export_values.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "server/features/shown_metric.h"

namespace gprof::lsp {
namespace {

// The same code in views whose frames have other numbers.
using FrameKey = std::tuple<FlameFrameKind, std::uint32_t, std::string, std::string>;

FrameKey key_of(const FrameNames& names, const FlameFrame& frame) {
  if (frame.kind != FlameFrameKind::module) return {frame.kind, frame.number, "", ""};
  return {frame.kind, 0, names.module_of(frame), names.linkage_name(frame)};
}

Figure figure_of(const FunctionCosts& profile, Ticks ticks, Ticks error) {
  return {profile.seconds(ticks), profile.has_exact_costs() ? 0 : profile.seconds(error)};
}

// By what `figures` gives for the names of the metrics that it is made of.
template <typename GetFigures>
std::optional<MetricFigures> derived(const DerivedMetric& metric, const GetFigures& figures) {
  std::vector<std::optional<MetricFigures>> operands;
  for (const std::string& name : metric.formula.names()) operands.push_back(figures(name));
  return derived_figures(metric.formula, operands);
}

}  // namespace

Expected<ExportValues> ExportValues::of(const std::shared_ptr<const Snapshot>& view,
                                        const ExportTables& tables, FrameNames& names,
                                        const ExportRequest& request) {
  ExportValues values;
  values.view_ = view;
  if (auto added = values.add_costs(tables, names, request.demangle); !added) return added.error();
  values.derived_ = derived_metrics_of(*view, request.derived).metrics;
  values.add_functions();
  return values;
}

Expected<void> ExportValues::add_costs(const ExportTables& tables, FrameNames& names,
                                       bool demangle) {
  for (const Metric& metric : view_->metrics()) {
    if (!is_of_cost(metric)) continue;
    Cost cost;
    cost.metric = metric;
    if (metric.name == view_->cost_metric().name) {
      exported_ = costs_.size();
      cost.view = view_;
      cost.tables = &tables;
      cost.names = &names;
    } else {
      auto other = view_of(view_, metric.name, view_->selection());
      if (!other) return std::move(other).error();
      cost.view = *std::move(other);
      cost.own_tables = std::make_unique<const ExportTables>(*cost.view);
      cost.own_names = std::make_unique<FrameNames>(*cost.view, demangle);
      cost.tables = cost.own_tables.get();
      cost.names = cost.own_names.get();
    }
    costs_.push_back(std::move(cost));
  }
  if (!costs_.empty()) return {};
  // A profile that says nothing of its metrics.
  costs_.push_back({view_->cost_metric(), view_, nullptr, nullptr, &tables, &names});
  return {};
}

void ExportValues::add_functions() {
  std::map<FrameKey, std::size_t> places;
  const auto add_cost = [&](std::size_t number) {
    const Cost& cost = costs_[number];
    for (const ExportFunction& function : cost.tables->functions()) {
      const auto [known, is_new] =
          places.try_emplace(key_of(*cost.names, function.frame), functions_.size());
      if (is_new) {
        ValuedFunction valued{function, cost.names, {}};
        valued.by_cost.resize(costs_.size());
        ExportFunction& shown = valued.shown;
        if (number != exported_) {
          shown.self = shown.self_error = shown.kernel = shown.total = shown.error = 0;
        }
        functions_.push_back(std::move(valued));
      }
      functions_[known->second].by_cost[number] = &function;
    }
  };
  add_cost(exported_);
  for (std::size_t i = 0; i < costs_.size(); ++i) {
    if (i != exported_) add_cost(i);
  }
}

// What a metric of cost does not know of a place, did not happen there.
void ExportValues::add_derived(FiguresByName& values) const {
  const FiguresByName given = values;
  const auto figures = [&](const std::string& name) -> std::optional<MetricFigures> {
    const auto found = given.find(name);
    if (found != given.end()) return found->second;
    const bool is_cost =
        std::ranges::any_of(costs_, [&](const Cost& cost) { return cost.metric.name == name; });
    return is_cost ? std::optional(MetricFigures()) : std::nullopt;
  };
  for (const DerivedMetric& metric : derived_) {
    if (const auto found = derived(metric, figures)) values[metric.metric.name] = *found;
  }
}

FiguresByName ExportValues::values(const ValuedFunction& function) const {
  FiguresByName values;
  for (std::size_t i = 0; i < costs_.size(); ++i) {
    const ExportFunction* figures = function.by_cost[i];
    if (figures == nullptr) continue;
    const FunctionCosts& profile = costs_[i].view->profile();
    values[costs_[i].metric.name] = {figure_of(profile, figures->self, figures->self_error),
                                     figure_of(profile, figures->total, figures->error),
                                     profile.has_exact_costs()};
  }
  if (function.shown.calls > 0) {
    values[std::string(calls_metric)] = count_figures(function.shown.calls);
  }
  add_derived(values);
  return values;
}

std::vector<ValuedLine> ExportValues::lines(const ValuedFunction& function) const {
  std::map<std::pair<FileId, LineNumber>, ValuedLine> lines;
  for (std::size_t i = 0; i < costs_.size(); ++i) {
    if (function.by_cost[i] == nullptr) continue;
    const Snapshot& view = *costs_[i].view;
    for (const ExportLine& line : function_lines(view, function.by_cost[i]->symbols)) {
      ValuedLine& valued = lines[{line.file, line.line}];
      valued.shown.file = line.file;
      valued.shown.line = line.line;
      if (i == exported_) {
        valued.shown.self = line.self;
        valued.shown.kernel = line.kernel;
      }
      if (line.executions) valued.shown.executions = line.executions;
      if (!(line.self > 0)) continue;
      valued.values[costs_[i].metric.name] = {
          figure_of(view.profile(), line.self, view.profile().error_of(line.self)),
          {},
          view.profile().has_exact_costs()};
    }
  }
  std::vector<ValuedLine> found;
  found.reserve(lines.size());
  for (auto& [place, line] : lines) {
    if (line.shown.executions) {
      line.values[std::string(executions_metric)] = count_figures(*line.shown.executions);
    }
    add_derived(line.values);
    found.push_back(std::move(line));
  }
  return found;
}

std::optional<double> ExportValues::total_of(const std::string& name) const {
  for (const Cost& cost : costs_) {
    if (cost.metric.name == name) {
      return cost.view->profile().seconds(cost.tables->self_ticks());
    }
  }
  const FunctionCosts& profile = view_->profile();
  if (name == calls_metric) return static_cast<double>(profile.counted_calls());
  if (name != executions_metric) return std::nullopt;
  double executions = 0;
  for (const BlockCount& block : profile.blocks()) executions += static_cast<double>(block.count);
  return executions;
}

std::vector<TotalledMetric> ExportValues::metrics() const {
  std::vector<TotalledMetric> metrics;
  for (const Metric& metric : view_->metrics()) metrics.push_back({metric, total_of(metric.name)});
  for (const DerivedMetric& metric : derived_) {
    const auto total = derived(metric, [&](const std::string& name) {
      const auto known = total_of(name);
      return known ? std::optional(MetricFigures{{*known, 0}, {}, true}) : std::nullopt;
    });
    metrics.push_back(
        {metric.metric, total ? std::optional(total->self.value) : std::optional<double>()});
  }
  return metrics;
}

}  // namespace gprof::lsp
