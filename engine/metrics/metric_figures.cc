#include "engine/metrics/metric_figures.h"

#include <vector>

namespace gprof {

MetricFigures count_figures(std::uint64_t count) {
  return {{static_cast<double>(count), 0}, std::nullopt, true};
}

std::optional<MetricFigures> derived_figures(
    const Formula& formula, std::span<const std::optional<MetricFigures>> operands) {
  std::vector<Figure> self;
  std::vector<Figure> total;
  bool exact = true;
  bool any_total = false;
  for (const auto& operand : operands) {
    if (!operand) return std::nullopt;
    exact = exact && operand->exact;
    any_total = any_total || operand->total;
    self.push_back(operand->self);
    total.push_back(operand->total.value_or(operand->self));
  }
  const auto of_self = formula.evaluate(self);
  const auto of_total = any_total ? formula.evaluate(total) : std::nullopt;
  if (!of_self && !of_total) return std::nullopt;
  return MetricFigures{of_self.value_or(Figure()), of_total, exact};
}

}  // namespace gprof
