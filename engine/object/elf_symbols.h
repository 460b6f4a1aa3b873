// The raw entries of an ELF symbol table, decoded but not judged.
//
// Units: link-time addresses, as in the file (Thumb bits and descriptors included). Ownership:
// names are views into the image's string table. Thread contract: pure function.
// Errors: truncated, corrupt (no string table, an entry size that is not the format's).
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "engine/object/image.h"

namespace gprof {

struct ElfSymbol {
  std::uint64_t value = 0;
  std::uint64_t size = 0;
  std::string_view name;          // empty when its offset lies outside the string table
  std::uint32_t name_offset = 0;  // in the string table
  std::uint32_t section = 0;      // index; SHN_ABS and its like where `reserved_section`
  bool reserved_section = false;  // SHN_ABS, SHN_COMMON, a processor's own
  std::uint8_t type = 0;          // STT_*
  std::uint8_t binding = 0;       // STB_*

  [[nodiscard]] bool is_function() const;  // STT_FUNC or STT_GNU_IFUNC
  [[nodiscard]] bool is_defined() const;   // in a section of the file
};

struct ElfSymbols {
  std::vector<ElfSymbol> symbols;  // in the table's order, without the null entry
  std::span<const std::byte> strings;
};

// `table` is a section of type SHT_SYMTAB or SHT_DYNSYM.
[[nodiscard]] Expected<ElfSymbols> read_elf_symbols(const Image& image, const Section& table);

// The first section of that type with bytes in the file; null when there is none.
[[nodiscard]] const Section* find_symbol_section(const Image& image, std::uint32_t section_type);

// Names of positions in code that are no functions: mapping symbols ($x, $d, ...), assembler-local
// labels (.L...), and the linker's marks (etext, __start_...).
[[nodiscard]] bool is_marker_name(std::string_view name);

}  // namespace gprof
