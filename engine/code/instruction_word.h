// Instructions of architectures where each is a four-byte word. Thread contract: any thread.
#pragma once

#include <cstddef>
#include <cstdint>

namespace gprof {

constexpr std::size_t word_size = 4;

[[nodiscard]] constexpr bool matches(std::uint32_t word, std::uint32_t mask, std::uint32_t value) {
  return (word & mask) == value;
}

}  // namespace gprof
