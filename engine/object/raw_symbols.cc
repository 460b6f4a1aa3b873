#include "engine/object/raw_symbols.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <utility>

#include <elf.h>
#include <fmt/format.h>

#include "engine/object/coff_symbol.h"
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
RawSymbol decode(const std::byte* entry, ByteOrder order) {
  const auto field = [&]<typename Integer>(Integer FileSymbol::*, std::size_t offset) {
    return stored_integer<Integer>(entry + offset, order);
  };
  const auto info = field(&FileSymbol::st_info, offsetof(FileSymbol, st_info));
  RawSymbol symbol;
  symbol.value = field(&FileSymbol::st_value, offsetof(FileSymbol, st_value));
  symbol.size = field(&FileSymbol::st_size, offsetof(FileSymbol, st_size));
  symbol.name_offset = field(&FileSymbol::st_name, offsetof(FileSymbol, st_name));
  symbol.section = field(&FileSymbol::st_shndx, offsetof(FileSymbol, st_shndx));
  symbol.type = ELF32_ST_TYPE(info);
  symbol.binding = ELF32_ST_BIND(info);
  return symbol;
}

// A symbol of PE in ELF's terms.
std::uint8_t binding_of(std::uint8_t storage_class) {
  switch (storage_class) {
    case coff_class_weak:
    case coff_class_gnu_weak:
      return STB_WEAK;
    case coff_class_external:
      return STB_GLOBAL;
    default:
      return STB_LOCAL;
  }
}

bool is_coff_definition(const CoffSymbol& symbol) {
  switch (symbol.storage_class) {
    case coff_class_external:
    case coff_class_static:
    case coff_class_label:
    case coff_class_section:
    case coff_class_weak:
    case coff_class_gnu_weak:
      return true;
    default:
      return false;
  }
}

std::uint8_t type_of(const CoffSymbol& symbol, std::string_view name) {
  if (symbol.storage_class == coff_class_file) return STT_FILE;
  if (symbol.is_function()) return STT_FUNC;
  const bool names_section = symbol.storage_class == coff_class_static && name.starts_with('.');
  return names_section ? STT_SECTION : STT_NOTYPE;
}

}  // namespace

bool RawSymbol::is_function() const { return type == STT_FUNC || type == STT_GNU_IFUNC; }
bool RawSymbol::is_defined() const { return !reserved_section && section != SHN_UNDEF; }

RawSymbols::Layout RawSymbols::layout_of(const Image& image) {
  if (image.format() == ObjectFormat::pe) return Layout::coff;
  return image.pointer_width() == PointerWidth::eight ? Layout::elf64 : Layout::elf32;
}

std::size_t RawSymbols::entry_size(Layout layout) {
  if (layout == Layout::coff) return coff_symbol_size;
  return layout == Layout::elf64 ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym);
}

RawSymbols::RawSymbols(const Image& image, std::span<const std::byte> entries,
                       std::span<const std::byte> strings,
                       std::vector<std::uint32_t> extended_sections)
    : entries_(entries),
      strings_(strings),
      sections_(image.sections()),
      extended_sections_(std::move(extended_sections)),
      order_(image.byte_order()),
      layout_(layout_of(image)) {
  const std::size_t count = entries.size() / entry_size(layout_);
  const std::size_t null_entries = layout_ == Layout::coff ? 0 : 1;
  size_ = count - std::min(count, null_entries);
}

std::span<const std::byte> RawSymbols::entry(std::size_t number) const {
  const std::size_t size = entry_size(layout_);
  return entries_.subspan(number * size, size);
}

std::size_t RawSymbols::next_coff(std::size_t index) const {
  const std::size_t after = index + 1 + decode_coff_symbol(entry(index)).extra_entries;
  return std::min(after, size_);
}

RawSymbol RawSymbols::operator[](std::size_t index) const {
  if (layout_ == Layout::coff) return coff_symbol(index);
  const std::byte* bytes = entry(index + 1).data();
  RawSymbol symbol = layout_ == Layout::elf64 ? decode<Elf64_Sym>(bytes, order_)
                                              : decode<Elf32_Sym>(bytes, order_);
  symbol.name = name_at(strings_, *symbol.name_offset);
  if (symbol.section == SHN_XINDEX && index + 1 < extended_sections_.size()) {
    symbol.section = extended_sections_[index + 1];
  } else {
    symbol.reserved_section = symbol.section >= SHN_LORESERVE;
  }
  return symbol;
}

RawSymbol RawSymbols::coff_symbol(std::size_t index) const {
  const CoffSymbol coff = decode_coff_symbol(entry(index));
  RawSymbol symbol;
  if (coff.short_name.empty()) {
    symbol.name_offset = coff.name_offset;
    symbol.name = name_at(strings_, coff.name_offset);
  } else {
    const auto* letters = reinterpret_cast<const char*>(coff.short_name.data());
    symbol.name = {letters, ::strnlen(letters, coff.short_name.size())};
  }
  symbol.value = coff.value;
  symbol.type = type_of(coff, symbol.name);
  symbol.binding = binding_of(coff.storage_class);
  if (!is_coff_definition(coff)) return symbol;
  if (coff.section == coff_absolute_section || coff.section == coff_debug_section) {
    symbol.section = SHN_ABS;
    symbol.reserved_section = true;
    return symbol;
  }
  const auto section = static_cast<std::uint16_t>(coff.section);
  if (section == 0 || section >= sections_.size()) return symbol;
  symbol.section = section;
  symbol.value += sections_[section].address.value;
  return symbol;
}

Expected<RawSymbols> read_raw_symbols(const Image& image, const Section& table) {
  TRY_ASSIGN(const auto bytes, image.section_bytes(table));
  const std::size_t expected_size = RawSymbols::entry_size(RawSymbols::layout_of(image));
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
  return RawSymbols(image, bytes, strings, extended_sections(image, table));
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

std::string_view linkage_name(const Image& image, std::string_view name) {
  static constexpr std::string_view weak_mark = ".weak.";
  if (image.format() != ObjectFormat::pe) return name;
  if (name.starts_with(weak_mark)) {
    name.remove_prefix(weak_mark.size());
    name = name.substr(0, name.rfind('.'));
  }
  if (image.prefixes_names() && name.starts_with('_')) name.remove_prefix(1);
  return name;
}

std::string_view without_version(std::string_view name) {
  const std::size_t at = name.find('@');
  return at == 0 ? name : name.substr(0, at);
}

std::size_t leading_marks(std::string_view name) {
  return std::min(name.find_first_not_of("_."), name.size());
}

}  // namespace gprof
