// Mutates what the sections of an ELF or PE file hold and leaves the file what it is: of ten inputs
// that random bytes would make of one, nine are refused for their headers.
#include <cstdint>
#include <vector>

#include <elf.h>

#include "engine/object/image.h"
#include "tests/fuzz/mutate.h"

using namespace gprof;
using namespace gprof::test;

namespace {

// Sections with bytes in the file; those that others are read by come more often.
std::vector<Piece> pieces_of(const std::uint8_t* data, std::size_t size) {
  const auto bytes = std::as_bytes(std::span(data, size));
  const auto image = Image::from_bytes({bytes.begin(), bytes.end()}, "input");
  std::vector<Piece> pieces;
  if (!image) return pieces;
  for (const Section& section : (*image)->sections()) {
    if (section.type == SHT_NOBITS || section.size == 0 || section.offset >= size) continue;
    const Piece piece{section.offset, std::min<std::size_t>(section.size, size - section.offset)};
    const bool is_leading = section.name == ".debug_info" || section.name == ".debug_abbrev" ||
                            section.name == ".debug_line" || section.type == SHT_SYMTAB;
    pieces.insert(pieces.end(), is_leading ? 4 : 1, piece);
  }
  return pieces;
}

}  // namespace

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t most, unsigned seed) {
  std::mt19937 random(seed);
  const auto pieces = pieces_of(data, size);
  // Headers have their turn, too.
  if (pieces.empty() || random() % 8 == 0) return LLVMFuzzerMutate(data, size, most);
  const Piece& piece = pieces[random() % pieces.size()];
  return random() % 3 == 0 ? put_odd_number(data, size, piece, random)
                           : mutate_in_place(data, size, piece, random);
}
