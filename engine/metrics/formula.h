// Formulas of derived metrics: `D1mr / Dr`, `(Ir - sys) / executions`.
//
// Grammar: numbers, names of metrics, + - * /, parentheses, unary minus. A name with other
// characters than letters, digits, `_`, `.` and `:`, or that begins with a digit, stands in double
// quotes: "cache-misses". A known name may also be written without quotes whatever its characters,
// if it begins with a letter or `_`: the longest one is taken. Errors of the operands are taken to
// be independent, and propagated through the derivative of the whole (first order): variances of
// sums add up, relative variances of products and quotients do.
//
// Thread contract: immutable. Errors: invalid_argument that names the formula and the place.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/support/expected.h"

namespace gprof {

struct Figure {
  double value = 0;
  double error = 0;  // one standard deviation

  friend bool operator==(const Figure&, const Figure&) = default;
};

// Bytes of a formula's text, and how deep its parentheses and signs may stand in each other.
inline constexpr std::size_t longest_formula = 1024;
inline constexpr std::size_t deepest_formula = 64;
// Numbers, names and operators of a formula, once others are put in.
inline constexpr std::size_t most_formula_steps = 4096;

class Formula {
 public:
  using FindFormula = std::function<const Formula*(const std::string& name)>;

  // `known`: names of metrics. Names that are none are kept: names() tells.
  [[nodiscard]] static Expected<Formula> parse(std::string_view text,
                                               const std::vector<std::string>& known);

  [[nodiscard]] const std::string& text() const { return text_; }
  // Of metrics, each once, in the order of the text; those of formulas that were put in stand in
  // the place of their names.
  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }
  // `figures`: by names(). None where a divisor is zero, or the result is no finite number.
  [[nodiscard]] std::optional<Figure> evaluate(const std::vector<Figure>& figures) const;

  // The same with formulas in the place of names, those for which `find` has one. Errors:
  // invalid_argument if it has too many steps then.
  [[nodiscard]] Expected<Formula> with(const FindFormula& find) const;

 private:
  friend class FormulaParser;

  enum class Operation : std::uint8_t { number, name, negate, add, subtract, multiply, divide };
  struct Step {
    Operation operation = Operation::number;
    std::uint32_t left = 0;  // an earlier step; of a name its place in names_
    std::uint32_t right = 0;
    double number = 0;
  };

  [[nodiscard]] std::uint32_t place_of(const std::string& name);
  // Whether `to` has room for it. The last step of `to` is its result then.
  [[nodiscard]] bool append_to(Formula& to, const FindFormula& find) const;
  [[nodiscard]] static bool append_name(Formula& to, const FindFormula& find,
                                        const std::string& name);

  std::string text_;
  std::vector<std::string> names_;
  std::vector<Step> steps_;  // the last one is the result
};

}  // namespace gprof
