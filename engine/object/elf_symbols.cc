#include "engine/object/elf_symbols.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <utility>

#include <elf.h>
#include <fmt/format.h>

#include "engine/support/byte_reader.h"
#include "engine/support/limits.h"

namespace gprof {
namespace {

std::string_view name_at(std::span<const std::byte> strings, std::uint32_t offset) {
  if (offset >= strings.size()) return {};
  const char* start = reinterpret_cast<const char*>(strings.data()) + offset;
  const std::uint64_t most = std::min<std::uint64_t>(strings.size() - offset, longest_shared_name);
  return {start, ::strnlen(start, most)};
}

// The section indices that did not fit into 16 bits; empty when the file has none.
std::vector<std::uint32_t> extended_sections(const Image& image, const Section& table) {
  for (const Section& section : image.sections()) {
    if (section.type != SHT_SYMTAB_SHNDX || section.link != table.index) continue;
    const auto bytes = image.section_bytes(section);
    if (!bytes) return {};
    std::vector<std::uint32_t> indices(bytes->size() / sizeof(Elf32_Word));
    for (std::size_t i = 0; i < indices.size(); ++i) {
      indices[i] =
          stored_integer<Elf32_Word>(bytes->data() + i * sizeof(Elf32_Word), image.byte_order());
    }
    return indices;
  }
  return {};
}

template <typename FileSymbol>
ElfSymbol decode(const std::byte* entry, ByteOrder order) {
  const auto field = [&]<typename Integer>(Integer FileSymbol::*, std::size_t offset) {
    return stored_integer<Integer>(entry + offset, order);
  };
  const auto info = field(&FileSymbol::st_info, offsetof(FileSymbol, st_info));
  ElfSymbol symbol;
  symbol.value = field(&FileSymbol::st_value, offsetof(FileSymbol, st_value));
  symbol.size = field(&FileSymbol::st_size, offsetof(FileSymbol, st_size));
  symbol.name_offset = field(&FileSymbol::st_name, offsetof(FileSymbol, st_name));
  symbol.section = field(&FileSymbol::st_shndx, offsetof(FileSymbol, st_shndx));
  symbol.type = ELF32_ST_TYPE(info);
  symbol.binding = ELF32_ST_BIND(info);
  return symbol;
}

std::size_t entry_size(bool wide) { return wide ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym); }

}  // namespace

bool ElfSymbol::is_function() const { return type == STT_FUNC || type == STT_GNU_IFUNC; }
bool ElfSymbol::is_defined() const { return !reserved_section && section != SHN_UNDEF; }

ElfSymbols::ElfSymbols(const Image& image, std::span<const std::byte> entries,
                       std::span<const std::byte> strings,
                       std::vector<std::uint32_t> extended_sections)
    : entries_(entries),
      strings_(strings),
      extended_sections_(std::move(extended_sections)),
      order_(image.byte_order()),
      wide_(image.pointer_width() == PointerWidth::eight) {
  const std::size_t with_null_entry = entries.size() / entry_size(wide_);
  size_ = with_null_entry - std::min<std::size_t>(with_null_entry, 1);
}

ElfSymbol ElfSymbols::operator[](std::size_t index) const {
  const std::byte* entry = entries_.data() + (index + 1) * entry_size(wide_);
  ElfSymbol symbol = wide_ ? decode<Elf64_Sym>(entry, order_) : decode<Elf32_Sym>(entry, order_);
  symbol.name = name_at(strings_, symbol.name_offset);
  if (symbol.section == SHN_XINDEX && index + 1 < extended_sections_.size()) {
    symbol.section = extended_sections_[index + 1];
  } else {
    symbol.reserved_section = symbol.section >= SHN_LORESERVE;
  }
  return symbol;
}

Expected<ElfSymbols> read_elf_symbols(const Image& image, const Section& table) {
  TRY_ASSIGN(const auto bytes, image.section_bytes(table));
  const std::size_t expected_size = entry_size(image.pointer_width() == PointerWidth::eight);
  if (table.entry_size != 0 && table.entry_size != expected_size) {
    return Error{ErrorCode::corrupt,
                 fmt::format("section {}: symbols of {} bytes expected, {} found", table.name,
                             expected_size, table.entry_size),
                 image.path(), table.offset};
  }
  if (table.link == 0 || table.link >= image.sections().size()) {
    return Error{ErrorCode::corrupt,
                 fmt::format("section {} names no string table; build the file anew", table.name),
                 image.path(), table.offset};
  }
  TRY_ASSIGN(const auto strings, image.section_bytes(image.sections()[table.link]));
  return ElfSymbols(image, bytes, strings, extended_sections(image, table));
}

const Section* find_symbol_section(const Image& image, std::uint32_t section_type) {
  for (const Section& section : image.sections()) {
    if (section.type == section_type && section.size > 0) return &section;
  }
  return nullptr;
}

bool is_marker_name(std::string_view name) {
  static constexpr std::array marks = {
      std::string_view("etext"),        std::string_view("_etext"),
      std::string_view("__etext"),      std::string_view("edata"),
      std::string_view("_edata"),       std::string_view("end"),
      std::string_view("_end"),         std::string_view("__bss_start"),
      std::string_view("_ftext"),       std::string_view("__executable_start"),
      std::string_view("_stext"),       std::string_view("__ehdr_start"),
      std::string_view("__text_start"), std::string_view("gcc2_compiled."),
  };
  if (name.empty() || name.starts_with('$') || name.starts_with(".L")) return true;
  if (name.starts_with("__start_") || name.starts_with("__stop_")) return true;
  return std::ranges::find(marks, name) != marks.end();
}

std::string_view without_version(std::string_view name) {
  const std::size_t at = name.find('@');
  return at == 0 ? name : name.substr(0, at);
}

std::size_t leading_marks(std::string_view name) {
  return std::min(name.find_first_not_of("_."), name.size());
}

}  // namespace gprof
