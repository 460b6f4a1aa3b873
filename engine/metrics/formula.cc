#include "engine/metrics/formula.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "engine/metrics/formula_parser.h"

namespace gprof {

Expected<Formula> Formula::parse(std::string_view text, const std::vector<std::string>& known) {
  return FormulaParser(text, known).parse();
}

std::uint32_t Formula::place_of(const std::string& name) {
  const auto found = std::find(names_.begin(), names_.end(), name);
  if (found == names_.end()) {
    names_.push_back(name);
    return static_cast<std::uint32_t>(names_.size() - 1);
  }
  return static_cast<std::uint32_t>(found - names_.begin());
}

std::optional<Figure> Formula::evaluate(const std::vector<Figure>& figures) const {
  std::vector<double> values(steps_.size());
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    const Step& step = steps_[i];
    switch (step.operation) {
      case Operation::number:
        values[i] = step.number;
        break;
      case Operation::name:
        values[i] = step.left < figures.size() ? figures[step.left].value : 0;
        break;
      case Operation::negate:
        values[i] = -values[step.left];
        break;
      case Operation::add:
        values[i] = values[step.left] + values[step.right];
        break;
      case Operation::subtract:
        values[i] = values[step.left] - values[step.right];
        break;
      case Operation::multiply:
        values[i] = values[step.left] * values[step.right];
        break;
      case Operation::divide:
        if (values[step.right] == 0) return std::nullopt;
        values[i] = values[step.left] / values[step.right];
        break;
    }
  }
  // The derivative of the result by each step, from the last one to the first.
  std::vector<double> slopes(steps_.size());
  std::vector<double> by_name(names_.size());
  slopes.back() = 1;
  for (std::size_t i = steps_.size(); i-- > 0;) {
    const Step& step = steps_[i];
    const double slope = slopes[i];
    switch (step.operation) {
      case Operation::number:
        break;
      case Operation::name:
        by_name[step.left] += slope;
        break;
      case Operation::negate:
        slopes[step.left] -= slope;
        break;
      case Operation::add:
        slopes[step.left] += slope;
        slopes[step.right] += slope;
        break;
      case Operation::subtract:
        slopes[step.left] += slope;
        slopes[step.right] -= slope;
        break;
      case Operation::multiply:
        slopes[step.left] += slope * values[step.right];
        slopes[step.right] += slope * values[step.left];
        break;
      case Operation::divide:
        slopes[step.left] += slope / values[step.right];
        slopes[step.right] -= slope * values[i] / values[step.right];
        break;
    }
  }
  Figure figure{values.back(), 0};
  for (std::size_t i = 0; i < by_name.size() && i < figures.size(); ++i) {
    if (figures[i].error != 0)
      figure.error = std::hypot(figure.error, by_name[i] * figures[i].error);
  }
  if (!std::isfinite(figure.value) || !std::isfinite(figure.error)) return std::nullopt;
  return figure;
}

bool Formula::append_name(Formula& to, const FindFormula& find, const std::string& name) {
  if (const Formula* other = find(name)) {
    return other->append_to(to, [](const std::string&) { return nullptr; });
  }
  const std::uint32_t place = to.place_of(name);
  to.steps_.push_back({Operation::name, place, 0, 0});
  return to.steps_.size() <= most_formula_steps;
}

bool Formula::append_to(Formula& to, const FindFormula& find) const {
  std::vector<std::uint32_t> places(steps_.size());
  // Each name's value is computed once.
  std::vector<std::optional<std::uint32_t>> by_name(names_.size());
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    Step step = steps_[i];
    if (step.operation == Operation::name) {
      std::optional<std::uint32_t>& place = by_name[step.left];
      if (!place && !append_name(to, find, names_[step.left])) return false;
      if (!place) place = static_cast<std::uint32_t>(to.steps_.size() - 1);
      places[i] = *place;
      continue;
    }
    step.left = places[step.left];
    step.right = places[step.right];
    to.steps_.push_back(step);
    if (to.steps_.size() > most_formula_steps) return false;
    places[i] = static_cast<std::uint32_t>(to.steps_.size() - 1);
  }
  return true;
}

Expected<Formula> Formula::with(const FindFormula& find) const {
  Formula formula;
  formula.text_ = text_;
  if (append_to(formula, find)) return formula;
  return Error{ErrorCode::invalid_argument,
               fmt::format("formula `{}` has more than {} numbers, names and operators with those "
                           "of the formulas that it uses: make it simpler",
                           text_, most_formula_steps),
               {},
               std::nullopt};
}

}  // namespace gprof
