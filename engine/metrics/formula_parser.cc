#include "engine/metrics/formula_parser.h"

#include <algorithm>
#include <charconv>
#include <system_error>
#include <utility>

#include <fmt/format.h>

namespace gprof {
namespace {

bool is_digit(char letter) { return letter >= '0' && letter <= '9'; }
bool begins_a_name(char letter) {
  return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') || letter == '_';
}
bool is_in_names(char letter) {
  return begins_a_name(letter) || is_digit(letter) || letter == '.' || letter == ':';
}
bool is_control(char letter) { return static_cast<unsigned char>(letter) < 0x20 || letter == 0x7f; }

}  // namespace

Error FormulaParser::damage(std::string_view what, std::size_t place) const {
  return Error{ErrorCode::invalid_argument,
               fmt::format("formula `{}`: {} at character {}", text_, what, place + 1),
               {},
               std::nullopt};
}

void FormulaParser::skip_blanks() {
  while (place_ < text_.size() && (text_[place_] == ' ' || text_[place_] == '\t')) ++place_;
}

bool FormulaParser::take(char wanted) {
  skip_blanks();
  if (!rest().starts_with(wanted)) return false;
  ++place_;
  return true;
}

std::size_t FormulaParser::name_size() const {
  const std::string_view text = rest();
  if (text.empty() || !begins_a_name(text.front())) return 0;
  const auto end = std::find_if_not(text.begin(), text.end(), is_in_names);
  auto size = static_cast<std::size_t>(end - text.begin());
  for (const std::string& name : known_) {
    if (name.size() <= size || !text.starts_with(name)) continue;
    // Not the beginning of a longer name.
    const bool ends =
        name.size() == text.size() || !is_in_names(name.back()) || !is_in_names(text[name.size()]);
    if (ends) size = name.size();
  }
  return size;
}

FormulaParser::Operand FormulaParser::add_name(std::string_view name) {
  const std::uint32_t place = formula_.place_of(std::string(name));
  formula_.steps_.push_back({Formula::Operation::name, place, 0, 0});
  return {static_cast<std::uint32_t>(formula_.steps_.size() - 1), std::nullopt};
}

FormulaParser::Operand FormulaParser::add_step(Formula::Operation operation, const Operand& left,
                                               const Operand& right) {
  formula_.steps_.push_back({operation, left.step, right.step, 0});
  Operand result{static_cast<std::uint32_t>(formula_.steps_.size() - 1), std::nullopt};
  if (!left.constant || !right.constant) return result;
  const double a = *left.constant;
  const double b = *right.constant;
  switch (operation) {
    case Formula::Operation::negate:
      result.constant = -a;
      break;
    case Formula::Operation::add:
      result.constant = a + b;
      break;
    case Formula::Operation::subtract:
      result.constant = a - b;
      break;
    case Formula::Operation::multiply:
      result.constant = a * b;
      break;
    case Formula::Operation::divide:
      // Never by zero.
      result.constant = a / b;
      break;
    case Formula::Operation::number:
    case Formula::Operation::name:
      break;
  }
  return result;
}

Expected<FormulaParser::Operand> FormulaParser::parse_number() {
  double number = 0;
  const std::string_view text = rest();
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) return damage("a number that cannot be read stands");
  const auto size = static_cast<std::size_t>(end - text.data());
  if (size < text.size() && is_in_names(text[size])) {
    return damage("a number that cannot be read stands");
  }
  place_ += size;
  formula_.steps_.push_back({Formula::Operation::number, 0, 0, number});
  return Operand{static_cast<std::uint32_t>(formula_.steps_.size() - 1), number};
}

Expected<FormulaParser::Operand> FormulaParser::parse_quoted() {
  const std::size_t begin = place_;
  const std::size_t end = text_.find('"', begin);
  if (end == std::string_view::npos) return damage("no double quote ends the name", begin - 1);
  if (end == begin) return damage("an empty name stands", begin - 1);
  place_ = end + 1;
  return add_name(text_.substr(begin, end - begin));
}

Expected<FormulaParser::Operand> FormulaParser::parse_factor(std::size_t depth) {
  skip_blanks();
  if (depth > deepest_formula) {
    return damage(fmt::format("more than {} parentheses and signs are open", deepest_formula));
  }
  if (take('-')) {
    TRY_ASSIGN(const Operand operand, parse_factor(depth + 1));
    return add_step(Formula::Operation::negate, operand, operand);
  }
  const std::size_t open = place_;
  if (take('(')) {
    TRY_ASSIGN(const Operand operand, parse_sum(depth + 1));
    if (take(')')) return operand;
    if (place_ == text_.size()) return damage("nothing closes the parenthesis", open);
    return damage("an operator or \")\" is missing");
  }
  if (take('"')) return parse_quoted();
  const std::string_view text = rest();
  if (!text.empty() && (is_digit(text.front()) || text.front() == '.')) return parse_number();
  const std::size_t size = name_size();
  if (size == 0) return damage("a number, the name of a metric or \"(\" is missing");
  place_ += size;
  return add_name(text.substr(0, size));
}

Expected<FormulaParser::Operand> FormulaParser::parse_product(std::size_t depth) {
  TRY_ASSIGN(Operand left, parse_factor(depth));
  while (true) {
    skip_blanks();
    const std::size_t sign = place_;
    const bool is_quotient = take('/');
    if (!is_quotient && !take('*')) return left;
    TRY_ASSIGN(const Operand right, parse_factor(depth));
    if (is_quotient && right.constant == 0.0) return damage("it divides by zero", sign);
    left = add_step(is_quotient ? Formula::Operation::divide : Formula::Operation::multiply, left,
                    right);
  }
}

Expected<FormulaParser::Operand> FormulaParser::parse_sum(std::size_t depth) {
  TRY_ASSIGN(Operand left, parse_product(depth));
  while (true) {
    const bool is_sum = take('+');
    if (!is_sum && !take('-')) return left;
    TRY_ASSIGN(const Operand right, parse_product(depth));
    left = add_step(is_sum ? Formula::Operation::add : Formula::Operation::subtract, left, right);
  }
}

Expected<Formula> FormulaParser::parse() {
  if (text_.size() > longest_formula) {
    return Error{ErrorCode::invalid_argument,
                 fmt::format("a formula of {} bytes is longer than {}: give a part of it a name of "
                             "its own",
                             text_.size(), longest_formula),
                 {},
                 std::nullopt};
  }
  const auto control = std::find_if(
      text_.begin(), text_.end(), [](char letter) { return is_control(letter) && letter != '\t'; });
  if (control != text_.end()) {
    return Error{ErrorCode::invalid_argument,
                 fmt::format("a formula has a control character as its character {}: remove it",
                             control - text_.begin() + 1),
                 {},
                 std::nullopt};
  }
  formula_.text_ = text_;
  TRY(parse_sum(0));
  skip_blanks();
  if (place_ < text_.size()) return damage("an operator (+ - * /) is missing");
  return std::move(formula_);
}

}  // namespace gprof
