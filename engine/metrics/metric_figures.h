// What a function, a line or a program has of one metric, and how a formula combines such figures.
//
// Units: of the metric. Thread contract: value types and pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "engine/metrics/formula.h"

namespace gprof {

// Counts have no total.
struct MetricFigures {
  Figure self;
  std::optional<Figure> total;  // with what was called
  bool exact = true;
};

[[nodiscard]] MetricFigures count_figures(std::uint64_t count);

// `operands`: by formula.names(), none where a metric says nothing. A total is of totals, and of
// the counts beside them. None where an operand is missing, or neither figure exists.
[[nodiscard]] std::optional<MetricFigures> derived_figures(
    const Formula& formula, std::span<const std::optional<MetricFigures>> operands);

}  // namespace gprof
