// Whole numbers for people: 1234567 -> "1,234,567", in every locale.
//
// Thread contract: pure functions.
#pragma once

#include <cstdint>
#include <string>

namespace gprof {

[[nodiscard]] inline std::string digit_groups(std::uint64_t number) {
  std::string digits = std::to_string(number);
  for (std::size_t at = digits.size(); at > 3; at -= 3) digits.insert(at - 3, 1, ',');
  return digits;
}

}  // namespace gprof
