#include "server/features/metric_values.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "engine/snapshot_view.h"
#include "server/text/number_text.h"

namespace gprof::lsp {
namespace {

constexpr std::size_t most_value_columns = 64;

MetricFigures time_figures(const FunctionCosts& profile, Ticks self, Ticks total,
                           Ticks total_error) {
  return {{profile.seconds(self), profile.seconds(profile.error_of(self))},
          Figure{profile.seconds(total), profile.seconds(total_error)},
          profile.has_exact_costs()};
}

// By others. Calling a split-off part of a function's body is not a new call of it.
std::uint64_t calls_of(const Snapshot& snapshot, std::span<const SymbolIndex> function) {
  std::uint64_t calls = 0;
  for (const SymbolIndex symbol : function) {
    if (snapshot.symbols()[symbol].clone == CloneKind::part) continue;
    calls += snapshot.graph().node(symbol).calls;
  }
  return calls;
}

// No sample says that it is little, not that it is nothing.
bool was_not_seen(const MetricFigures& figures, const Figure& figure) {
  return !figures.exact && figure.value == 0;
}

std::uint64_t all_executions(const FunctionCosts& profile) {
  std::uint64_t sum = 0;
  for (const BlockCount& block : profile.blocks()) sum += block.count;
  return sum;
}

}  // namespace

Expected<std::size_t> MetricColumns::operand(const std::shared_ptr<const Snapshot>& shown,
                                             const std::string& name) {
  const auto known = std::find_if(operands_.begin(), operands_.end(),
                                  [&](const Operand& operand) { return operand.name == name; });
  if (known != operands_.end()) return static_cast<std::size_t>(known - operands_.begin());
  Operand operand{name, OperandKind::cost, shown};
  if (name == calls_metric) {
    operand.kind = OperandKind::calls;
  } else if (name == executions_metric) {
    operand.kind = OperandKind::executions;
  } else {
    Selection selection = shown->selection();
    selection.with_idle = with_idle_;
    TRY_ASSIGN(operand.view, view_of(shown, name, selection));
  }
  operands_.push_back(std::move(operand));
  return operands_.size() - 1;
}

Expected<void> MetricColumns::add(const std::shared_ptr<const Snapshot>& shown,
                                  const DerivedMetric& derived) {
  Column column{derived.metric.name, derived.metric.unit, {}, derived.formula};
  for (const std::string& name : derived.formula.names()) {
    TRY_ASSIGN(const std::size_t place, operand(shown, name));
    column.operands.push_back(place);
  }
  columns_.push_back(std::move(column));
  return {};
}

Expected<MetricColumns> MetricColumns::of(const std::shared_ptr<const Snapshot>& shown,
                                          const DerivedMetric& derived) {
  MetricColumns columns;
  columns.with_idle_ = shown->selection().with_idle;
  TRY(columns.add(shown, derived));
  return columns;
}

Expected<MetricColumns> MetricColumns::of(const LoadedProgram& program,
                                          const std::vector<std::string>& names,
                                          const std::vector<DerivedSetting>& settings) {
  MetricColumns columns;
  if (names.size() > most_value_columns) {
    return Error{
        ErrorCode::invalid_argument,
        fmt::format("expected at most {} metrics, not {}", most_value_columns, names.size()),
        {},
        std::nullopt};
  }
  const std::shared_ptr<const Snapshot>& shown = program.snapshot;
  columns.with_idle_ = program.view && program.view->selection.with_idle;
  // A part of it may lack what all of it has: calls.
  const std::shared_ptr<const Snapshot> whole = whole_of(shown);
  const std::string first = whole->cost_metric().name;
  for (const std::string& name : names) {
    TRY_ASSIGN(const ChosenMetric chosen, chosen_metric(*whole, name, settings));
    if (chosen.derived) {
      TRY(columns.add(shown, *chosen.derived));
      continue;
    }
    const bool is_count = !is_of_time(chosen.shown);
    TRY_ASSIGN(const std::size_t place,
               columns.operand(shown, is_count              ? name
                                      : chosen.cost.empty() ? first
                                                            : chosen.cost));
    columns.columns_.push_back({name, {}, {place}, std::nullopt});
  }
  return columns;
}

MetricColumns::Operands MetricColumns::operands_of(std::span<const SymbolIndex> function) const {
  Operands figures;
  for (const Operand& operand : operands_) {
    auto& of_operand = figures.emplace_back();
    if (function.empty()) continue;
    const Snapshot& view = *operand.view;
    if (operand.kind == OperandKind::calls) {
      const std::uint64_t calls = calls_of(view, function);
      if (calls > 0) of_operand = count_figures(calls);
    } else if (operand.kind == OperandKind::cost) {
      const FunctionTime time = view.times().of(function);
      of_operand = time_figures(view.profile(), time.self, time.total(), time.error);
    }
  }
  return figures;
}

std::optional<MetricFigures> MetricColumns::figures(const Column& column,
                                                    const Operands& operands) {
  if (!column.formula) return operands[column.operands.front()];
  Operands of_formula;
  for (const std::size_t place : column.operands) of_formula.push_back(operands[place]);
  return derived_figures(*column.formula, of_formula);
}

ValuesByMetric MetricColumns::values(const Operands& operands) const {
  ValuesByMetric values;
  for (const Column& column : columns_) {
    if (const auto of_column = figures(column, operands)) {
      values.emplace(column.name, metric_values(*of_column));
    }
  }
  return values;
}

ValuesByMetric MetricColumns::values_of(std::span<const SymbolIndex> function) const {
  return values(operands_of(function));
}

std::optional<MetricFigures> MetricColumns::figures_of(
    std::span<const SymbolIndex> function) const {
  return columns_.empty() ? std::nullopt : figures(columns_.front(), operands_of(function));
}

std::vector<std::optional<MetricFigures>> MetricColumns::totals() const {
  Operands operands;
  for (const Operand& operand : operands_) {
    const FunctionCosts& profile = operand.view->profile();
    if (operand.kind == OperandKind::calls) {
      auto& calls = operands.emplace_back();
      if (profile.has_arcs()) calls = count_figures(profile.counted_calls());
    } else if (operand.kind == OperandKind::executions) {
      auto& executions = operands.emplace_back();
      if (!profile.blocks().empty()) executions = count_figures(all_executions(profile));
    } else {
      const Ticks ticks = profile.program_ticks();
      operands.emplace_back(time_figures(profile, ticks, ticks, profile.error_of(ticks)));
    }
  }
  std::vector<std::optional<MetricFigures>> totals;
  for (const Column& column : columns_) totals.push_back(figures(column, operands));
  return totals;
}

struct LineValues::Source {
  FileView view;
  LineMeter meter;

  Source(FileView of_file, const std::shared_ptr<const Snapshot>& snapshot)
      : view(by(std::move(of_file), snapshot)), meter(view) {}
  static FileView by(FileView view, const std::shared_ptr<const Snapshot>& snapshot) {
    if (view.program.snapshot == snapshot) return view;
    view.program.snapshot = snapshot;
    view.costs = snapshot->source_index().costs(view.costs->file);
    return view;
  }
};

LineValues::LineValues(const MetricColumns& columns, const FileView& view) : columns_(columns) {
  for (const auto& operand : columns.operands_) {
    sources_.push_back(std::make_unique<Source>(view, operand.view));
  }
}

LineValues::~LineValues() = default;

MetricColumns::Operands LineValues::operands_of(LineNumber line) {
  using Kind = MetricColumns::OperandKind;
  MetricColumns::Operands figures;
  for (std::size_t i = 0; i < sources_.size(); ++i) {
    auto& of_operand = figures.emplace_back();
    Source& source = *sources_[i];
    const Kind kind = columns_.operands_[i].kind;
    const LineCost* cost = source.view.costs->line(line);
    const bool exact = source.view.profile().has_exact_costs();
    if (cost == nullptr) {
      if (kind == Kind::cost) of_operand = MetricFigures{{}, Figure(), exact};
      continue;
    }
    const LineMetrics metrics = source.meter.figures(*cost);
    if (kind == Kind::cost) {
      of_operand = MetricFigures{{metrics.self_seconds, metrics.self_error}, std::nullopt, exact};
      if (metrics.total_seconds) {
        of_operand->total = Figure{*metrics.total_seconds, metrics.total_error};
      }
    } else if (const auto count = kind == Kind::calls ? metrics.calls : metrics.executions) {
      of_operand = count_figures(*count);
    }
  }
  return figures;
}

ValuesByMetric LineValues::values_of(LineNumber line) {
  ValuesByMetric values = columns_.values(operands_of(line));
  std::erase_if(values, [](const auto& value) {
    return value.second.self == 0 && value.second.total.value_or(0) == 0;
  });
  return values;
}

std::optional<MetricFigures> LineValues::figures_of(LineNumber line) {
  if (columns_.empty()) return std::nullopt;
  return MetricColumns::figures(columns_.columns_.front(), operands_of(line));
}

DerivedLineTexts::DerivedLineTexts(const FileView& view) : view_(view) {
  if (view.program.view && view.program.view->derived) {
    values_.emplace(*view.program.view->derived, view);
  }
}

std::optional<MetricFigures> DerivedLineTexts::figures_of(LineNumber line) {
  return values_ ? values_->figures_of(line) : std::nullopt;
}

std::string DerivedLineTexts::text_of(LineNumber line) {
  const auto figures = figures_of(line);
  if (!figures) return {};
  const Figure& figure = figures->total.value_or(figures->self);
  if (figure.value == 0) return {};
  return figure_text(figure, view_.program.view->metric.derived->metric.unit);
}

MetricValues metric_values(const MetricFigures& figures) {
  MetricValues values;
  values.self = figures.self.value;
  if (!figures.exact) values.self_error = figures.self.error;
  if (figures.total) {
    values.total = figures.total->value;
    if (!figures.exact) values.total_error = figures.total->error;
  }
  return values;
}

std::string figure_text(const Figure& figure, std::string_view unit) {
  constexpr int most_digits = 3;
  double value = figure.value;
  if (value == 0) return unit.empty() ? "0" : fmt::format("0 {}", unit == "seconds" ? "s" : unit);
  std::string name(unit);
  if (unit == "seconds") {
    static constexpr std::pair<double, const char*> units[] = {
        {1, "s"}, {1e-3, "ms"}, {1e-6, "µs"}, {1e-9, "ns"}};
    const auto* const found =
        std::find_if(std::begin(units), std::end(units) - 1,
                     [&](const auto& one) { return std::abs(value) >= one.first; });
    value /= found->first;
    name = found->second;
  }
  const double ratio = figure.error > 0 ? std::abs(figure.value) / figure.error : 1000;
  const int digits =
      std::clamp(static_cast<int>(std::log10(std::max(ratio, 1.0))) + 1, 1, most_digits);
  const int whole = static_cast<int>(std::floor(std::log10(std::abs(value)))) + 1;
  std::string text =
      std::abs(value) >= 1e4 && std::abs(value) < 1e19
          ? (value < 0 ? "-" : "") + short_count(static_cast<std::uint64_t>(std::abs(value)))
          : fmt::format("{:.{}f}", value, std::clamp(digits - whole, 0, 9));
  return name.empty() ? text : text + " " + name;
}

std::string derived_text(const LoadedProgram& program, const FunctionCost& function) {
  if (!program.view || !program.view->derived) return {};
  const auto figures = program.view->derived->figures_of(function.symbols);
  if (!figures || was_not_seen(*figures, figures->self)) return {};
  const Metric& metric = program.view->metric.derived->metric;
  return fmt::format("{} {}", metric.name, figure_text(figures->self, metric.unit));
}

std::string derived_sentence(const LoadedProgram& program,
                             const std::optional<MetricFigures>& figures) {
  if (!figures) return {};
  const Metric& metric = program.view->metric.derived->metric;
  const auto text = [&](const Figure& figure) -> std::string {
    if (was_not_seen(*figures, figure)) return "no samples";
    std::string value = figure_text(figure, metric.unit);
    if (!figures->exact && figure.error > 0) {
      value += " ± " + figure_text({figure.error, figure.error}, metric.unit);
    }
    return value;
  };
  std::string sentence = fmt::format("{}: {}", metric.name, text(figures->self));
  if (figures->total && figures->total->value != figures->self.value) {
    sentence += fmt::format(", with what it called {}", text(*figures->total));
  }
  return sentence + ".";
}

}  // namespace gprof::lsp
