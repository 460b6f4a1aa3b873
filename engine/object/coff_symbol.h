// An entry of a COFF symbol table, the kind that PE files have.
//
// Units: values are relative to the symbol's section. Thread contract: a pure function.
// Errors: none; the bytes of an entry hold any entry. Layout: Microsoft's "PE Format".
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace gprof {

inline constexpr std::size_t coff_symbol_size = 18;
inline constexpr std::size_t coff_short_name_size = 8;

// Storage classes of symbols that a linked program has.
inline constexpr std::uint8_t coff_class_external = 2;
inline constexpr std::uint8_t coff_class_static = 3;
inline constexpr std::uint8_t coff_class_label = 6;
inline constexpr std::uint8_t coff_class_file = 103;
inline constexpr std::uint8_t coff_class_section = 104;
inline constexpr std::uint8_t coff_class_weak = 105;      // IMAGE_SYM_CLASS_WEAK_EXTERNAL
inline constexpr std::uint8_t coff_class_gnu_weak = 127;  // of GNU's other COFF targets

inline constexpr std::int16_t coff_absolute_section = -1;
inline constexpr std::int16_t coff_debug_section = -2;

struct CoffSymbol {
  // The name itself, filled up with zeros; empty if it is in the string table.
  std::span<const std::byte> short_name;
  std::uint32_t name_offset = 0;  // in the string table, whose size field counts
  std::uint32_t value = 0;
  std::int16_t section = 0;  // from 1 on; 0 if it is undefined
  std::uint16_t type = 0;
  std::uint8_t storage_class = 0;
  std::uint8_t extra_entries = 0;  // auxiliary entries that follow

  [[nodiscard]] bool is_function() const { return (type & 0x30U) == 0x20U; }
};

// Precondition: `entry` has coff_symbol_size bytes.
[[nodiscard]] CoffSymbol decode_coff_symbol(std::span<const std::byte> entry);

}  // namespace gprof
