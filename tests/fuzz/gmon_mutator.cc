// Mutates GNU gmon files record by record: repeats, removes and alters whole ones, so that what
// follows is still read. Other formats have one record, and are left to libFuzzer.
#include <cstdint>
#include <vector>

#include "tests/fuzz/mutate.h"

using namespace gprof::test;

namespace {

// The first byte chooses how the rest is read: bit 0 the pointer width, bit 1 the byte order.
constexpr std::size_t choice_size = 1;
constexpr std::size_t header_size = 20;

std::uint32_t number_at(const std::uint8_t* field, bool big) {
  std::uint32_t number = 0;
  for (int i = 0; i < 4; ++i) number = number << 8 | field[big ? i : 3 - i];
  return number;
}

// As far as they can be told.
std::vector<Piece> records_of(const std::uint8_t* data, std::size_t size) {
  std::vector<Piece> records;
  if (size < choice_size + header_size || std::memcmp(data + choice_size, "gmon", 4) != 0)
    return {};
  const std::size_t word = (data[0] & 1) != 0 ? 4 : 8;
  const bool big = (data[0] & 2) != 0;
  std::size_t at = choice_size + header_size;
  while (at < size) {
    const std::size_t left = size - at;
    std::size_t length = 1 + 2 * word + 4;
    if (data[at] == 0) {
      length = 1 + 2 * word + 24;
      if (length <= left) length += 2 * std::size_t{number_at(data + at + 1 + 2 * word, big)};
    } else if (data[at] == 2) {
      length = 5;
      if (length <= left) length += 2 * word * std::size_t{number_at(data + at + 1, big)};
    }
    length = std::min(length, left);
    records.push_back({at, length});
    at += length;
  }
  return records;
}

}  // namespace

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t most, unsigned seed) {
  std::mt19937 random(seed);
  const auto records = records_of(data, size);
  if (records.empty() || random() % 6 == 0) return LLVMFuzzerMutate(data, size, most);
  const Piece& record = records[random() % records.size()];
  switch (random() % 4) {
    case 0:
      return repeat_piece(data, size, most, record);
    case 1:
      return remove_piece(data, size, record);
    case 2:
      return put_odd_number(data, size, record, random);
    default:
      return mutate_in_place(data, size, record, random);
  }
}
