#include "engine/symspec/symspec.h"

#include <algorithm>
#include <limits>

namespace gprof {
namespace {

bool is_digit(char letter) { return letter >= '0' && letter <= '9'; }

// The number at the start, as far as it goes. If too large, the maximum, which no line has.
LineNumber leading_number(std::string_view text) {
  constexpr std::uint64_t largest = std::numeric_limits<LineNumber>::max();
  std::uint64_t number = 0;
  for (const char letter : text) {
    if (!is_digit(letter)) break;
    number = std::min(largest, number * 10 + static_cast<std::uint64_t>(letter - '0'));
  }
  return static_cast<LineNumber>(number);
}

void set_function_or_line(Symspec& symspec, std::string_view text) {
  if (!text.empty() && is_digit(text.front())) {
    symspec.line = leading_number(text);
  } else {
    symspec.function = text;
  }
}

}  // namespace

Symspec parse_symspec(std::string_view text) {
  Symspec symspec;
  const std::size_t colon = text.rfind(':');
  if (colon != std::string_view::npos) {
    symspec.file = text.substr(0, colon);
    set_function_or_line(symspec, text.substr(colon + 1));
  } else if (text.find('.') != std::string_view::npos) {
    symspec.file = text;
  } else {
    set_function_or_line(symspec, text);
  }
  return symspec;
}

}  // namespace gprof
