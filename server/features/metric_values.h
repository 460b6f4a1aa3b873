// Figures of functions and lines by any metrics of a program: of cost, from views of its snapshot;
// calls and executions, from its counts; derived ones, from figures of others.
//
// Units: of the metric. A figure that does not exist is left out: of code that a metric says
// nothing of, of a formula whose divisor is zero. Ownership: shares the views. Thread contract:
// MetricColumns is immutable; LineValues are used by one thread.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/metrics/metric_figures.h"
#include "server/features/line_metrics.h"
#include "server/features/shown_metric.h"
#include "server/protocol/metric_messages.h"

namespace gprof::lsp {

class MetricColumns {
 public:
  // Of the part of the profile that the program shows. Errors: invalid_argument for unknown names,
  // and for too many; those of view_of().
  [[nodiscard]] static Expected<MetricColumns> of(const LoadedProgram& program,
                                                  const std::vector<std::string>& names,
                                                  const std::vector<DerivedSetting>& settings);
  // A derived metric alone.
  [[nodiscard]] static Expected<MetricColumns> of(const std::shared_ptr<const Snapshot>& shown,
                                                  const DerivedMetric& derived);

  [[nodiscard]] bool empty() const { return columns_.empty(); }
  // Of the symbols that are one function, ascending.
  [[nodiscard]] ValuesByMetric values_of(std::span<const SymbolIndex> function) const;
  // By the first of the metrics.
  [[nodiscard]] std::optional<MetricFigures> figures_of(
      std::span<const SymbolIndex> function) const;
  // Of the whole program, by each of the metrics.
  [[nodiscard]] std::vector<std::optional<MetricFigures>> totals() const;

 private:
  friend class LineValues;

  enum class OperandKind : std::uint8_t { cost, calls, executions };
  // What figures are made of; each once.
  struct Operand {
    std::string name;
    OperandKind kind = OperandKind::cost;
    std::shared_ptr<const Snapshot> view;  // whose costs or counts it is
  };
  struct Column {
    std::string name;
    std::string unit;
    std::vector<std::size_t> operands;
    std::optional<Formula> formula;  // none: of its operand
  };
  using Operands = std::vector<std::optional<MetricFigures>>;

  // `shown`: the part that is looked at.
  [[nodiscard]] Expected<std::size_t> operand(const std::shared_ptr<const Snapshot>& shown,
                                              const std::string& name);
  [[nodiscard]] Expected<void> add(const std::shared_ptr<const Snapshot>& shown,
                                   const DerivedMetric& derived);
  [[nodiscard]] Operands operands_of(std::span<const SymbolIndex> function) const;
  [[nodiscard]] static std::optional<MetricFigures> figures(const Column& column,
                                                            const Operands& operands);
  [[nodiscard]] ValuesByMetric values(const Operands& operands) const;

  bool with_idle_ = false;  // as in Selection
  std::vector<Operand> operands_;
  std::vector<Column> columns_;
};

// Of lines of the build of one view. `columns` and `view` must outlive it.
class LineValues {
 public:
  LineValues(const MetricColumns& columns, const FileView& view);
  ~LineValues();

  [[nodiscard]] ValuesByMetric values_of(LineNumber line);
  // By the first of the metrics.
  [[nodiscard]] std::optional<MetricFigures> figures_of(LineNumber line);

 private:
  struct Source;  // the view's file by one operand
  [[nodiscard]] MetricColumns::Operands operands_of(LineNumber line);

  const MetricColumns& columns_;
  std::vector<std::unique_ptr<Source>> sources_;
};

// What stands on lines of one view, of the derived metric that its program is shown by: with what
// they call, where stacks or counts tell that; empty without such a metric. Thread contract: one
// thread.
class DerivedLineTexts {
 public:
  explicit DerivedLineTexts(const FileView& view);
  [[nodiscard]] std::string text_of(LineNumber line);
  [[nodiscard]] std::optional<MetricFigures> figures_of(LineNumber line);

 private:
  const FileView& view_;
  std::optional<LineValues> values_;
};

[[nodiscard]] MetricValues metric_values(const MetricFigures& figures);

// "58.3 µs", "0.0123 misses": three digits, fewer if the error allows no more.
[[nodiscard]] std::string figure_text(const Figure& figure, std::string_view unit);
// What stands on lenses and lines of the derived metric that the program is shown by: "seconds per
// call 58.3 µs"; empty without one, and where there is no figure.
[[nodiscard]] std::string derived_text(const LoadedProgram& program, const FunctionCost& function);
// For hovers: "seconds per call: 58.3 µs ± 2 µs, with what it called 120 µs ± 5 µs."
[[nodiscard]] std::string derived_sentence(const LoadedProgram& program,
                                           const std::optional<MetricFigures>& figures);

}  // namespace gprof::lsp
