// The raw entries of a symbol table, decoded but not judged, in ELF's vocabulary whatever the
// format.
//
// PE's COFF symbols become: STT_FUNC and STT_NOTYPE by their type, STT_SECTION, STT_FILE; bindings
// by their storage class. Those of other classes are for debuggers, and are not defined.
//
// Units: link-time addresses, as in the file (Thumb bits and descriptors included). Ownership:
// views of the image's tables, which must outlive it. Entries are decoded on demand: a list of them
// all would be many megabytes that are read once. Thread contract: immutable.
// Errors: truncated, corrupt (no string table, or an entry size that is not the format's).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "engine/object/image.h"

namespace gprof {

struct RawSymbol {
  std::uint64_t value = 0;
  std::uint64_t size = 0;  // 0 if unknown: COFF has none
  // Empty if its offset lies outside the string table; cut at longest_shared_name.
  std::string_view name;
  // In the string table; none if the name is part of the entry.
  std::optional<std::uint32_t> name_offset;
  std::uint32_t section = 0;      // index; SHN_ABS and others if `reserved_section`
  bool reserved_section = false;  // SHN_ABS, SHN_COMMON, a processor's own
  std::uint8_t type = 0;          // STT_*
  std::uint8_t binding = 0;       // STB_*

  [[nodiscard]] bool is_function() const;  // STT_FUNC or STT_GNU_IFUNC
  [[nodiscard]] bool is_defined() const;   // in a section of the file
};

class RawSymbols {
 public:
  class Iterator {
   public:
    using value_type = RawSymbol;
    using difference_type = std::ptrdiff_t;
    Iterator() = default;
    Iterator(const RawSymbols* symbols, std::size_t index) : symbols_(symbols), index_(index) {}
    RawSymbol operator*() const { return (*symbols_)[index_]; }
    Iterator& operator++() {
      index_ = symbols_->next(index_);
      return *this;
    }
    Iterator operator++(int) {
      const Iterator before = *this;
      ++*this;
      return before;
    }
    friend bool operator==(const Iterator& a, const Iterator& b) { return a.index_ == b.index_; }

   private:
    const RawSymbols* symbols_ = nullptr;
    std::size_t index_ = 0;
  };

  // An empty table.
  RawSymbols() = default;
  RawSymbols(const Image& image, std::span<const std::byte> entries,
             std::span<const std::byte> strings, std::vector<std::uint32_t> extended_sections);

  // In table order, without ELF's null entry. The size counts COFF's auxiliary entries, which
  // iterators pass over.
  [[nodiscard]] std::size_t size() const { return size_; }
  // ELF's symbols have the numbers that relocations name them by, less one.
  [[nodiscard]] RawSymbol operator[](std::size_t index) const;
  [[nodiscard]] Iterator begin() const { return {this, 0}; }
  [[nodiscard]] Iterator end() const { return {this, size_}; }
  [[nodiscard]] std::span<const std::byte> strings() const { return strings_; }

 private:
  enum class Layout : std::uint8_t { elf32, elf64, coff };
  static Layout layout_of(const Image& image);
  static std::size_t entry_size(Layout layout);
  friend Expected<RawSymbols> read_raw_symbols(const Image& image, const Section& table);

  [[nodiscard]] std::size_t next(std::size_t index) const {
    return layout_ == Layout::coff ? next_coff(index) : index + 1;
  }
  [[nodiscard]] std::size_t next_coff(std::size_t index) const;
  [[nodiscard]] RawSymbol coff_symbol(std::size_t index) const;
  [[nodiscard]] std::span<const std::byte> entry(std::size_t number) const;

  std::span<const std::byte> entries_;
  std::span<const std::byte> strings_;
  std::span<const Section> sections_;
  std::vector<std::uint32_t> extended_sections_;  // indices that exceed 16 bits; often empty
  std::size_t size_ = 0;
  ByteOrder order_ = ByteOrder::little;
  Layout layout_ = Layout::elf64;
};

// `table` is a section of type SHT_SYMTAB or SHT_DYNSYM.
Expected<RawSymbols> read_raw_symbols(const Image& image, const Section& table);

// The first section of that type with bytes in the file; null if there is none.
[[nodiscard]] const Section* find_symbol_section(const Image& image, std::uint32_t section_type);

// Names of positions in code that are not functions: mapping symbols ($x, $d, ...), assembler-local
// labels (.L...), and the linker's marks (etext, __start_...).
[[nodiscard]] bool is_marker_name(std::string_view name);
// As the compiler made it: without the underscore that the image's names have, and without what the
// linker of PE adds to the definition of a weak symbol (".weak.NAME.UNIT").
[[nodiscard]] std::string_view linkage_name(const Image& image, std::string_view name);
// Without @VERSION or @@VERSION.
[[nodiscard]] std::string_view without_version(std::string_view name);
// How many underscores and dots a name begins with: of two names of one address, its author uses
// the one with fewer.
[[nodiscard]] std::size_t leading_marks(std::string_view name);

}  // namespace gprof
