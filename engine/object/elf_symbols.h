// The raw entries of an ELF symbol table, decoded but not judged.
//
// Units: link-time addresses, as in the file (Thumb bits and descriptors included). Ownership:
// views of the image's tables, which must outlive it. Entries are decoded on demand: a list of them
// all would be many megabytes that are read once. Thread contract: immutable.
// Errors: truncated, corrupt (no string table, or an entry size that is not the format's).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "engine/object/image.h"

namespace gprof {

struct ElfSymbol {
  std::uint64_t value = 0;
  std::uint64_t size = 0;
  // Empty if its offset lies outside the string table; cut at longest_shared_name.
  std::string_view name;
  std::uint32_t name_offset = 0;  // in the string table
  std::uint32_t section = 0;      // index; SHN_ABS and others if `reserved_section`
  bool reserved_section = false;  // SHN_ABS, SHN_COMMON, a processor's own
  std::uint8_t type = 0;          // STT_*
  std::uint8_t binding = 0;       // STB_*

  [[nodiscard]] bool is_function() const;  // STT_FUNC or STT_GNU_IFUNC
  [[nodiscard]] bool is_defined() const;   // in a section of the file
};

class ElfSymbols {
 public:
  class Iterator {
   public:
    using value_type = ElfSymbol;
    using difference_type = std::ptrdiff_t;
    Iterator() = default;
    Iterator(const ElfSymbols* symbols, std::size_t index) : symbols_(symbols), index_(index) {}
    ElfSymbol operator*() const { return (*symbols_)[index_]; }
    Iterator& operator++() {
      ++index_;
      return *this;
    }
    Iterator operator++(int) { return {symbols_, index_++}; }
    friend bool operator==(const Iterator& a, const Iterator& b) { return a.index_ == b.index_; }

   private:
    const ElfSymbols* symbols_ = nullptr;
    std::size_t index_ = 0;
  };

  // An empty table.
  ElfSymbols() = default;
  ElfSymbols(const Image& image, std::span<const std::byte> entries,
             std::span<const std::byte> strings, std::vector<std::uint32_t> extended_sections);

  // In table order, without the null entry.
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] ElfSymbol operator[](std::size_t index) const;
  [[nodiscard]] Iterator begin() const { return {this, 0}; }
  [[nodiscard]] Iterator end() const { return {this, size_}; }
  [[nodiscard]] std::span<const std::byte> strings() const { return strings_; }

 private:
  std::span<const std::byte> entries_;
  std::span<const std::byte> strings_;
  std::vector<std::uint32_t> extended_sections_;  // indices that exceed 16 bits; often empty
  std::size_t size_ = 0;
  ByteOrder order_ = ByteOrder::little;
  bool wide_ = true;
};

// `table` is a section of type SHT_SYMTAB or SHT_DYNSYM.
[[nodiscard]] Expected<ElfSymbols> read_elf_symbols(const Image& image, const Section& table);

// The first section of that type with bytes in the file; null if there is none.
[[nodiscard]] const Section* find_symbol_section(const Image& image, std::uint32_t section_type);

// Names of positions in code that are not functions: mapping symbols ($x, $d, ...), assembler-local
// labels (.L...), and the linker's marks (etext, __start_...).
[[nodiscard]] bool is_marker_name(std::string_view name);
// Without @VERSION or @@VERSION.
[[nodiscard]] std::string_view without_version(std::string_view name);
// How many underscores and dots a name begins with: of two names of one address, its author uses
// the one with fewer.
[[nodiscard]] std::size_t leading_marks(std::string_view name);

}  // namespace gprof
