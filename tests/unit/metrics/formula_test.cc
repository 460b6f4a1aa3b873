// Formulas of derived metrics: their grammar, figures and errors.
#include "engine/metrics/formula.h"

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include <catch2/catch.hpp>
#include <fmt/format.h>

using namespace gprof;

namespace {

using Names = std::vector<std::string>;

Formula formula_of(std::string_view text, const Names& known = {}) {
  auto formula = Formula::parse(text, known);
  if (!formula) FAIL(describe(formula.error()));
  return *std::move(formula);
}

std::optional<Figure> figure_of(std::string_view text, const std::vector<Figure>& figures) {
  return formula_of(text).evaluate(figures);
}

double value_of(std::string_view text, const std::vector<Figure>& figures = {}) {
  const auto figure = figure_of(text, figures);
  REQUIRE(figure);
  return figure->value;
}

std::string error_of(std::string_view text, const Names& known = {}) {
  const auto formula = Formula::parse(text, known);
  REQUIRE_FALSE(formula);
  CHECK(formula.error().code == ErrorCode::invalid_argument);
  return formula.error().message;
}

// A formula, and the same computed by itself from three figures.
struct Random {
  std::mt19937 numbers{7};

  double number(double low, double high) {
    return std::uniform_real_distribution<>(low, high)(numbers);
  }
  unsigned choice(unsigned count) {
    return std::uniform_int_distribution<unsigned>(0, count - 1)(numbers);
  }
  std::string text(unsigned depth) {
    if (depth == 0 || choice(5) == 0) {
      return choice(4) == 0 ? fmt::format("{:.3f}", number(1, 9))
                            : std::string(1, "abc"[choice(3)]);
    }
    if (choice(8) == 0) return "-" + text(depth - 1);
    return fmt::format("({} {} {})", text(depth - 1), "+-*/"[choice(4)], text(depth - 1));
  }
};

}  // namespace

TEST_CASE("formulas have the precedence of arithmetic") {
  CHECK(value_of("1 + 2 * 3") == 7);
  CHECK(value_of("(1 + 2) * 3") == 9);
  CHECK(value_of("8 - 4 - 2") == 2);
  CHECK(value_of("8 / 4 / 2") == 1);
  CHECK(value_of("-2 * -3 - -1") == 7);
  CHECK(value_of("--.5e1\t*2") == 10);
  CHECK(value_of(" ((x)) ", {{4, 0}}) == 4);
  CHECK(value_of("a*b-b", {{4, 0}, {3, 0}}) == 9);
}

TEST_CASE("names in formulas are plain, quoted, or known with any characters") {
  CHECK(formula_of("Ir / (Dr + Ir)").names() == Names{"Ir", "Dr"});
  CHECK(formula_of("cpu.x:u / _y2").names() == Names{"cpu.x:u", "_y2"});
  CHECK(formula_of("\"cache-misses\" / \"1 + 1\"").names() == Names{"cache-misses", "1 + 1"});
  CHECK(formula_of("cache-misses").names() == Names{"cache", "misses"});
  const Names known = {"cache", "cache-misses", "cache-misses:u", "cpu_core/cycles/", "a b", "-",
                       "("};
  CHECK(formula_of("cache-misses/cache", known).names() == Names{"cache-misses", "cache"});
  CHECK(formula_of("cache-misses:u-cache", known).names() == Names{"cache-misses:u", "cache"});
  CHECK(formula_of("cache-missesx", known).names() == Names{"cache", "missesx"});
  CHECK(formula_of("cpu_core/cycles//a b", known).names() == Names{"cpu_core/cycles/", "a b"});
  CHECK(formula_of("-(x)", known).names() == Names{"x"});
  CHECK(formula_of("Ir").text() == "Ir");
}

TEST_CASE("a formula that cannot be read is told with the place") {
  CHECK(error_of("D1mr / ") ==
        "formula `D1mr / `: a number, the name of a metric or \"(\" is missing at character 8");
  CHECK(error_of("") ==
        "formula ``: a number, the name of a metric or \"(\" is missing at character 1");
  CHECK(error_of("(a + b").find("nothing closes the parenthesis at character 1") !=
        std::string::npos);
  CHECK(error_of("(a b)").find("an operator or \")\" is missing at character 4") !=
        std::string::npos);
  CHECK(error_of("a b").find("an operator (+ - * /) is missing at character 3") !=
        std::string::npos);
  CHECK(error_of("a)").find("character 2") != std::string::npos);
  CHECK(error_of("\"a").find("no double quote ends the name at character 1") != std::string::npos);
  CHECK(error_of("a*\"\"").find("an empty name stands at character 3") != std::string::npos);
  CHECK(error_of("2x").find("a number that cannot be read stands at character 1") !=
        std::string::npos);
  CHECK(error_of("1e999").find("number that cannot be read") != std::string::npos);
  CHECK(error_of("a / (3 - 3)").find("it divides by zero at character 3") != std::string::npos);
  CHECK(error_of("a\nb").find("control character as its character 2") != std::string::npos);
}

TEST_CASE("amplification: formulas are bounded in length, depth and steps") {
  CHECK(Formula::parse(std::string(deepest_formula, '(') + "a" + std::string(deepest_formula, ')'),
                       {}));
  CHECK(error_of(std::string(deepest_formula + 1, '-') + "a").find("are open") !=
        std::string::npos);
  CHECK(error_of(std::string(1000, '(')).find("are open") != std::string::npos);
  CHECK(error_of(std::string(longest_formula + 1, 'a')).find("longer than 1024") !=
        std::string::npos);
  // Each is made of the one before, three times; it is put in once.
  Formula whole = formula_of("a + 1");
  for (int i = 0; i < 100; ++i) {
    auto next = formula_of("x * x + x").with([&](const std::string&) { return &whole; });
    REQUIRE(next);
    whole = *std::move(next);
  }
  Formula other = formula_of("a");
  bool refused = false;
  for (int i = 0; i < 20 && !refused; ++i) {
    const Formula last = other;
    auto next = formula_of("x + y").with([&](const std::string&) { return &last; });
    refused = !next;
    if (!next) {
      CHECK(next.error().message.find("more than 4096") != std::string::npos);
    } else {
      other = *std::move(next);
    }
  }
  CHECK(refused);
}

TEST_CASE("a formula has no figure where a divisor is zero") {
  CHECK_FALSE(figure_of("a / b", {{1, 1}, {0, 0}}));
  CHECK_FALSE(figure_of("1 + 1 / (a - b)", {{2, 0}, {2, 0}}));
  CHECK_FALSE(figure_of("a / b", {{1e300, 0}, {1e-300, 0}}));
  CHECK_FALSE(figure_of("a * a", {{1e300, 0}}));
  CHECK(figure_of("0 / b", {{2, 1}}) == Figure{0, 0});
}

TEST_CASE("errors of formulas are those of independent figures") {
  const std::vector<Figure> figures = {{8, 0.3}, {2, 0.4}};
  CHECK(figure_of("a + b", figures)->error == Approx(0.5));
  CHECK(figure_of("a - b", figures)->error == Approx(0.5));
  CHECK(figure_of("3 * a", figures)->error == Approx(0.9));
  CHECK(figure_of("a * b", figures)->error == Approx(std::hypot(2 * 0.3, 8 * 0.4)));
  CHECK(figure_of("a / b", figures)->error == Approx(4 * std::hypot(0.3 / 8, 0.4 / 2)));
  // A figure is as far off wherever it stands.
  CHECK(figure_of("a - a", figures)->error == 0);
  CHECK(figure_of("a / a", figures)->error == 0);
  CHECK(figure_of("a + a", figures)->error == Approx(0.6));
  CHECK(figure_of("a * a", figures)->error == Approx(2 * 8 * 0.3));
  CHECK(figure_of("b / (b + 0)", {{2, 0.4}})->error == 0);
}

TEST_CASE("formulas in formulas") {
  const Formula ratio = formula_of("D1mr / Dr");
  const auto percent =
      formula_of("100 * rate - Dr").with([&](const std::string& name) -> const Formula* {
        return name == "rate" ? &ratio : nullptr;
      });
  REQUIRE(percent);
  CHECK(percent->text() == "100 * rate - Dr");
  CHECK(percent->names() == Names{"D1mr", "Dr"});
  CHECK(percent->evaluate({{3, 0}, {12, 0}})->value == 13);
  const auto alone = formula_of("rate").with([&](const std::string&) { return &ratio; });
  REQUIRE(alone);
  CHECK(alone->evaluate({{3, 0}, {12, 0}})->value == 0.25);
}

TEST_CASE("property: the error of a formula is its change with each figure") {
  Random random;
  int compared = 0;
  for (int round = 0; round < 2000; ++round) {
    const std::string text = random.text(5);
    CAPTURE(text);
    const auto parsed = Formula::parse(text, {});
    // A constant divisor may be zero.
    if (!parsed) continue;
    const std::size_t names = parsed->names().size();
    std::vector<Figure> figures(names);
    for (Figure& figure : figures) figure = {random.number(1, 9), random.number(0.1, 1)};
    const auto whole = parsed->evaluate(figures);
    if (!whole) continue;
    double variance = 0;
    double size = 0;
    for (std::size_t i = 0; i < names; ++i) {
      constexpr double step = 1e-6;
      std::vector<Figure> more = figures;
      std::vector<Figure> less = figures;
      more[i].value += step;
      less[i].value -= step;
      const auto up = parsed->evaluate(more);
      const auto down = parsed->evaluate(less);
      if (!up || !down) {
        size = 1e9;
        break;
      }
      const double slope = (up->value - down->value) / (2 * step);
      variance += std::pow(slope * figures[i].error, 2);
      size = std::max({size, std::abs(slope), std::abs(up->value)});
    }
    // Near a pole the difference says nothing of the slope.
    if (size > 1e4) continue;
    ++compared;
    CHECK(whole->error == Approx(std::sqrt(variance)).margin(1e-3).epsilon(1e-3));
    // Blanks and further parentheses change nothing.
    const auto again = Formula::parse("  ( " + text + ")", {});
    REQUIRE(again);
    CHECK(again->evaluate(figures) == whole);
  }
  CHECK(compared > 1000);
}
