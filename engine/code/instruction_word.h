// The bits of instructions. Thread contract: any thread.
#pragma once

#include <cstddef>
#include <cstdint>

namespace gprof {

constexpr std::size_t word_size = 4;

[[nodiscard]] constexpr bool matches(std::uint32_t word, std::uint32_t mask, std::uint32_t value) {
  return (word & mask) == value;
}

// A number whose highest bit, of that many, is its sign.
[[nodiscard]] constexpr std::uint64_t sign_extended(std::uint64_t value, unsigned bits) {
  const std::uint64_t sign = std::uint64_t{1} << (bits - 1);
  return (value ^ sign) - sign;
}

}  // namespace gprof
