// Hexadecimal digits, as for build-ids in sidecars and digests in file names: two per byte.
//
// Thread contract: pure functions.
#pragma once

#include <cstddef>

namespace gprof_formats {

// Calls put(character) for every digit. `Byte`: any type of one byte.
template <typename Byte, typename Put>
constexpr void each_hexadecimal_digit(const Byte* bytes, std::size_t size, Put put) {
  constexpr const char* digits = "0123456789abcdef";
  for (std::size_t i = 0; i < size; ++i) {
    const auto byte = static_cast<unsigned char>(bytes[i]);
    put(digits[byte >> 4U]);
    put(digits[byte & 15U]);
  }
}

}  // namespace gprof_formats
