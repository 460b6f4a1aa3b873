// Hashes of numbers and texts from files. Each process uses its own random seed, so that no file
// can be written whose keys all collide, which would make every lookup search the whole table.
//
// Thread contract: pure functions; the seed is made at the first use. Errors: none; without random
// numbers the seed is the clock's.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace gprof {

// The same throughout the process.
[[nodiscard]] std::uint64_t hash_seed();

// Hashes two numbers: every bit of the result depends on every bit of both (the finalizer of
// splitmix64). The multipliers of the first step are odd, so that neighbouring addresses differ.
[[nodiscard]] constexpr std::uint64_t mixed_hash(std::uint64_t a, std::uint64_t b,
                                                 std::uint64_t seed) {
  std::uint64_t hash = ((a ^ seed) * 0x9e3779b97f4a7c15U) ^ ((b + seed) * 0xc2b2ae3d27d4eb4fU);
  hash = (hash ^ (hash >> 30)) * 0xbf58476d1ce4e5b9U;
  hash = (hash ^ (hash >> 27)) * 0x94d049bb133111ebU;
  return hash ^ (hash >> 31);
}

inline constexpr std::uint64_t text_hash_constant = 0xd6e8feb86659fd93U;

[[nodiscard]] inline std::uint64_t hash_of(std::uint64_t a, std::uint64_t b) {
  static const std::uint64_t seed = hash_seed();
  return mixed_hash(a, b, seed);
}

// Hashes texts sixteen bytes at a time, as wyhash does: eight bytes are combined with each of two
// numbers that only this process knows, and the halves of their product with each other.
[[nodiscard]] inline std::uint64_t hash_of(std::string_view text) {
  __extension__ using Product = unsigned __int128;
  static const std::uint64_t seed = hash_seed();
  const std::uint64_t other_seed = seed * text_hash_constant;
  const auto fold = [](std::uint64_t a, std::uint64_t b) {
    const Product product = static_cast<Product>(a) * b;
    return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64U);
  };
  constexpr std::size_t step = 2 * sizeof(std::uint64_t);
  std::array<std::uint64_t, 2> words = {};
  std::uint64_t hash = seed ^ text.size();
  for (; text.size() > step; text.remove_prefix(step)) {
    std::memcpy(words.data(), text.data(), step);
    hash = fold(words[0] ^ other_seed, words[1] ^ hash);
  }
  words = {};
  if (!text.empty()) std::memcpy(words.data(), text.data(), text.size());
  return mixed_hash(fold(words[0] ^ other_seed, words[1] ^ hash), text_hash_constant, seed);
}

// For the standard containers.
struct TextHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const {
    return static_cast<std::size_t>(hash_of(text));
  }
};
struct NumberHash {
  std::size_t operator()(std::uint64_t number) const {
    return static_cast<std::size_t>(hash_of(number, 0));
  }
};

}  // namespace gprof
