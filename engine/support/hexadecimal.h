// Bytes as text: two hexadecimal digits each.
//
// Thread contract: pure functions. Errors: none.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "formats/hexadecimal.h"

namespace gprof {

[[nodiscard]] inline std::string hexadecimal(std::span<const std::byte> bytes) {
  std::string digits;
  digits.reserve(2 * bytes.size());
  gprof_formats::each_hexadecimal_digit(bytes.data(), bytes.size(),
                                        [&](char digit) { digits += digit; });
  return digits;
}

}  // namespace gprof
