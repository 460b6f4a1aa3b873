// Reads the text of a formula; its grammar is in formula.h.
//
// Ownership: borrows the text and the names. Thread contract: one thread. Errors: invalid_argument.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/metrics/formula.h"
#include "engine/support/expected.h"

namespace gprof {

class FormulaParser {
 public:
  FormulaParser(std::string_view text, const std::vector<std::string>& known)
      : text_(text), known_(known) {}

  [[nodiscard]] Expected<Formula> parse();

 private:
  struct Operand {
    std::uint32_t step = 0;
    std::optional<double> constant;  // its value, if no name is part of it
  };

  [[nodiscard]] Expected<Operand> parse_sum(std::size_t depth);
  [[nodiscard]] Expected<Operand> parse_product(std::size_t depth);
  [[nodiscard]] Expected<Operand> parse_factor(std::size_t depth);
  [[nodiscard]] Expected<Operand> parse_number();
  [[nodiscard]] Expected<Operand> parse_quoted();
  [[nodiscard]] Operand add_name(std::string_view name);
  [[nodiscard]] Operand add_step(Formula::Operation operation, const Operand& left,
                                 const Operand& right);
  // Bytes of the name that begins here, without quotes; 0 if none does.
  [[nodiscard]] std::size_t name_size() const;
  void skip_blanks();
  // Whether the next character is this one, which is taken then.
  [[nodiscard]] bool take(char wanted);
  [[nodiscard]] std::string_view rest() const { return text_.substr(place_); }
  [[nodiscard]] Error damage(std::string_view what, std::size_t place) const;
  [[nodiscard]] Error damage(std::string_view what) const { return damage(what, place_); }

  std::string_view text_;
  const std::vector<std::string>& known_;
  std::size_t place_ = 0;
  Formula formula_;
};

}  // namespace gprof
