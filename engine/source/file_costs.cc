#include "engine/source/file_costs.h"

#include <algorithm>

namespace gprof {

const LineCost* FileCosts::line(LineNumber number) const {
  const auto found = std::partition_point(lines.begin(), lines.end(),
                                          [&](const LineCost& cost) { return cost.line < number; });
  return found != lines.end() && found->line == number ? &*found : nullptr;
}

std::span<const FunctionCost> FileCosts::functions_declared_at(LineNumber number) const {
  const auto first = std::partition_point(
      functions.begin(), functions.end(),
      [&](const FunctionCost& function) { return function.declaration.line < number; });
  const auto end = std::partition_point(first, functions.end(), [&](const FunctionCost& function) {
    return function.declaration.line <= number;
  });
  return {first, end};
}

const FunctionCost* FileCosts::function_at(LineNumber number) const {
  const FunctionCost* innermost = nullptr;
  for (const FunctionCost& function : functions) {
    if (function.declaration.line > number) break;
    if (number > std::max(function.last_line, function.declaration.line)) continue;
    // Functions are in the order of their first lines: a later one that contains the line is nested
    // deeper.
    innermost = &function;
  }
  return innermost;
}

}  // namespace gprof
