#include "engine/object/elf_symbols.h"

#include <algorithm>
#include <array>
#include <cstring>

#include <fmt/format.h>
#include <libelf.h>

namespace gprof {
namespace {

std::string_view name_at(std::span<const std::byte> strings, std::uint32_t offset) {
  if (offset >= strings.size()) return {};
  const char* start = reinterpret_cast<const char*>(strings.data()) + offset;
  return {start, ::strnlen(start, strings.size() - offset)};
}

// The section indices that did not fit into 16 bits; empty when the file has none.
std::vector<Elf32_Word> extended_indices(const Image& image, const Section& table) {
  for (const Section& section : image.sections()) {
    if (section.type != SHT_SYMTAB_SHNDX || section.link != table.index) continue;
    const auto bytes = image.section_bytes(section);
    if (!bytes) return {};
    std::vector<Elf32_Word> indices(bytes->size() / sizeof(Elf32_Word));
    for (std::size_t i = 0; i < indices.size(); ++i) {
      std::uint32_t value = 0;
      for (std::size_t k = 0; k < sizeof value; ++k) {
        const std::size_t at = image.byte_order() == ByteOrder::big ? k : sizeof value - 1 - k;
        value = value << 8 | std::to_integer<std::uint32_t>((*bytes)[i * sizeof value + at]);
      }
      indices[i] = value;
    }
    return indices;
  }
  return {};
}

template <typename FileSymbol>
bool translate(std::span<const std::byte> bytes, ByteOrder order, std::vector<FileSymbol>& out) {
  if (::elf_version(EV_CURRENT) == EV_NONE) return false;
  Elf_Data from = {};
  from.d_buf = const_cast<std::byte*>(bytes.data());
  from.d_type = ELF_T_SYM;
  from.d_version = EV_CURRENT;
  from.d_size = bytes.size();
  Elf_Data to = from;
  to.d_buf = out.data();
  const unsigned encoding = order == ByteOrder::big ? ELFDATA2MSB : ELFDATA2LSB;
  if constexpr (sizeof(FileSymbol) == sizeof(Elf32_Sym)) {
    return ::elf32_xlatetom(&to, &from, encoding) != nullptr;
  } else {
    return ::elf64_xlatetom(&to, &from, encoding) != nullptr;
  }
}

template <typename FileSymbol>
ElfSymbol convert(const FileSymbol& from, std::span<const std::byte> strings) {
  ElfSymbol symbol;
  symbol.value = from.st_value;
  symbol.size = from.st_size;
  symbol.name_offset = from.st_name;
  symbol.name = name_at(strings, from.st_name);
  symbol.section = from.st_shndx;
  symbol.reserved_section = from.st_shndx >= SHN_LORESERVE;
  symbol.type = ELF32_ST_TYPE(from.st_info);
  symbol.binding = ELF32_ST_BIND(from.st_info);
  return symbol;
}

template <typename FileSymbol>
Expected<ElfSymbols> decode(const Image& image, const Section& table,
                            std::span<const std::byte> bytes, std::span<const std::byte> strings) {
  const std::size_t count = bytes.size() / sizeof(FileSymbol);
  std::vector<FileSymbol> entries(count);
  const auto whole_entries = bytes.first(count * sizeof(FileSymbol));
  if (count > 0 && !translate(whole_entries, image.byte_order(), entries)) {
    return Error{ErrorCode::corrupt, fmt::format("section {} cannot be decoded", table.name),
                 image.path(), table.offset};
  }
  const std::vector<Elf32_Word> extended = extended_indices(image, table);
  ElfSymbols result;
  result.strings = strings;
  result.symbols.reserve(count);
  for (std::size_t i = 1; i < count; ++i) {
    ElfSymbol symbol = convert(entries[i], strings);
    if (entries[i].st_shndx == SHN_XINDEX && i < extended.size()) {
      symbol.section = extended[i];
      symbol.reserved_section = false;
    }
    result.symbols.push_back(symbol);
  }
  return result;
}

}  // namespace

bool ElfSymbol::is_function() const { return type == STT_FUNC || type == STT_GNU_IFUNC; }
bool ElfSymbol::is_defined() const { return !reserved_section && section != SHN_UNDEF; }

Expected<ElfSymbols> read_elf_symbols(const Image& image, const Section& table) {
  const auto bytes = image.section_bytes(table);
  if (!bytes) return bytes.error();
  const bool wide = image.pointer_width() == PointerWidth::eight;
  const std::uint64_t entry_size = wide ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym);
  if (table.entry_size != 0 && table.entry_size != entry_size) {
    return Error{ErrorCode::corrupt,
                 fmt::format("section {}: symbols of {} bytes expected, {} found", table.name,
                             entry_size, table.entry_size),
                 image.path(), table.offset};
  }
  if (table.link == 0 || table.link >= image.sections().size()) {
    return Error{ErrorCode::corrupt,
                 fmt::format("section {} names no string table; build the file anew", table.name),
                 image.path(), table.offset};
  }
  const auto strings = image.section_bytes(image.sections()[table.link]);
  if (!strings) return strings.error();
  return wide ? decode<Elf64_Sym>(image, table, *bytes, *strings)
              : decode<Elf32_Sym>(image, table, *bytes, *strings);
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

}  // namespace gprof
