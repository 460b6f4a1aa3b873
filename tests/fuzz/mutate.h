// Mutations that keep a file readable up to where they are, for LLVMFuzzerCustomMutator: what
// random bytes do to a header is soon known, and hides what lies behind it.
//
// Thread contract: one thread. All return the new size.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <span>
#include <vector>

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

namespace gprof::test {

// A part of the input.
struct Piece {
  std::size_t offset = 0;
  std::size_t size = 0;
};

// Changes bytes of the piece, which stays where it is and as long as it was.
inline std::size_t mutate_in_place(std::uint8_t* data, std::size_t size, const Piece& piece,
                                   std::mt19937& random) {
  constexpr std::size_t longest = 32;
  if (piece.size == 0 || piece.offset >= size) return size;
  const std::size_t all = std::min(piece.size, size - piece.offset);
  const std::size_t begin = random() % all;
  const std::size_t count = std::min<std::size_t>(1 + random() % longest, all - begin);
  LLVMFuzzerMutate(data + piece.offset + begin, count, count);
  return size;
}

// Writes a number that readers stumble over into the piece, of 1 to 8 bytes.
inline std::size_t put_odd_number(std::uint8_t* data, std::size_t size, const Piece& piece,
                                  std::mt19937& random) {
  constexpr std::array<std::uint64_t, 10> odd = {
      0, 1, 0x7f, 0x80, 0xff, 0xffff, 0x7fffffff, 0x80000000, 0xffffffff, ~std::uint64_t{0}};
  if (piece.size == 0 || piece.offset >= size) return size;
  const std::uint64_t number = odd[random() % odd.size()];
  const std::size_t width = std::size_t{1} << random() % 4;
  const std::size_t all = std::min(piece.size, size - piece.offset);
  const std::size_t begin = random() % all;
  std::memcpy(data + piece.offset + begin, &number, std::min(width, all - begin));
  return size;
}

// Puts the piece once more behind itself, where there is room.
inline std::size_t repeat_piece(std::uint8_t* data, std::size_t size, std::size_t most,
                                const Piece& piece) {
  if (piece.size > size || piece.offset > size - piece.size || piece.size > most - size)
    return size;
  std::uint8_t* const begin = data + piece.offset;
  std::memmove(begin + piece.size, begin, size - piece.offset);
  return size + piece.size;
}

inline std::size_t remove_piece(std::uint8_t* data, std::size_t size, const Piece& piece) {
  if (piece.size >= size || piece.offset > size - piece.size) return size;
  std::uint8_t* const begin = data + piece.offset;
  std::memmove(begin, begin + piece.size, size - piece.offset - piece.size);
  return size - piece.size;
}

}  // namespace gprof::test
