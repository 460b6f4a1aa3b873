#include "engine/code/import_table.h"

#include <algorithm>

#include <elf.h>

#include "engine/code/linkage_stubs.h"
#include "engine/object/raw_symbols.h"
#include "engine/support/byte_reader.h"

namespace gprof {
namespace {

// An entry of a relocation section.
struct Relocation {
  std::uint64_t offset = 0;
  std::uint64_t symbol = 0;  // 0 for none
  std::uint64_t addend = 0;  // if the section has them
};

std::optional<Relocation> read_relocation(ByteReader& reader, PointerWidth width,
                                          bool with_addend) {
  const auto offset = reader.read_word(width, "relocation offset");
  const auto info = reader.read_word(width, "relocation information");
  if (!offset || !info) return std::nullopt;
  Relocation relocation;
  relocation.offset = *offset;
  relocation.symbol = width == PointerWidth::eight ? *info >> 32 : *info >> 8;
  if (with_addend) {
    const auto addend = reader.read_word(width, "relocation addend");
    if (!addend) return std::nullopt;
    relocation.addend = *addend;
  }
  return relocation;
}

// The tags that describe the layout of MIPS's global table.
struct MipsTable {
  std::uint64_t local_entries = 0;
  std::uint64_t first_symbol = 0;
};

std::optional<MipsTable> read_mips_table(const Image& image) {
  const Section* section = image.find_section(".dynamic");
  if (section == nullptr) return std::nullopt;
  const auto bytes = image.section_bytes(*section);
  if (!bytes) return std::nullopt;
  ByteReader reader(*bytes, image.byte_order(), image.path());
  std::optional<std::uint64_t> local_entries;
  std::optional<std::uint64_t> first_symbol;
  while (!reader.at_end()) {
    const auto tag = reader.read_word(image.pointer_width(), "dynamic tag");
    const auto value = reader.read_word(image.pointer_width(), "dynamic value");
    if (!tag || !value || *tag == DT_NULL) break;
    if (*tag == DT_MIPS_LOCAL_GOTNO) local_entries = *value;
    if (*tag == DT_MIPS_GOTSYM) first_symbol = *value;
  }
  if (!local_entries || !first_symbol) return std::nullopt;
  return MipsTable{*local_entries, *first_symbol};
}

}  // namespace

// Fills the table.
struct ImportTable::Reader {
  ImportTable& table;
  const Image& image;
  RawSymbols symbols;  // of .dynsym

  void read_symbols() {
    const Section* section = find_symbol_section(image, SHT_DYNSYM);
    if (section == nullptr) return;
    auto read = read_raw_symbols(image, *section);
    if (read) symbols = std::move(*read);
  }

  // Symbol numbers include the null entry, the list does not.
  [[nodiscard]] std::optional<RawSymbol> symbol(std::uint64_t number) const {
    if (number == 0 || number > symbols.size()) return std::nullopt;
    return symbols[number - 1];
  }

  void read_relocations() {
    for (const Section& section : image.sections()) {
      const bool with_addend = section.type == SHT_RELA;
      if ((with_addend || section.type == SHT_REL) && section.allocated()) {
        read_relocations(section, with_addend);
      }
    }
  }

  void read_relocations(const Section& section, bool with_addend) {
    // 64-bit MIPS packs relocations in its own way; its slots are identified by their order.
    if (image.machine() == EM_MIPS && image.pointer_width() == PointerWidth::eight) return;
    const auto bytes = image.section_bytes(section);
    if (!bytes) return;
    ByteReader reader(*bytes, image.byte_order(), image.path());
    while (!reader.at_end()) {
      const auto relocation = read_relocation(reader, image.pointer_width(), with_addend);
      if (!relocation) return;
      if (const auto named = symbol(relocation->symbol)) {
        if (!named->name.empty()) {
          table.slot_names_.emplace(relocation->offset, without_version(named->name));
        }
      } else if (relocation->addend != 0 &&
                 image.code_section_at(Address{relocation->addend}) != nullptr) {
        table.slot_targets_.emplace(relocation->offset, Address{relocation->addend});
      }
    }
  }

  // If a program takes an imported function's address, the symbol's value is its stub's.
  void read_canonical_stubs() {
    for (const RawSymbol& undefined : symbols) {
      const bool is_import = undefined.section == SHN_UNDEF && !undefined.reserved_section;
      if (is_import && undefined.value != 0 && undefined.is_function()) {
        table.stub_names_.emplace(undefined.value, without_version(undefined.name));
      }
    }
  }

  // Stubs of position-independent 32-bit PowerPC code depend on a register; linkers name them in
  // the symbol table: 00008000.plt_pic32.NAME.
  void read_named_stubs() {
    static constexpr std::string_view mark = ".plt_pic32.";
    const Section* section = find_symbol_section(image, SHT_SYMTAB);
    if (section == nullptr) return;
    const auto read = read_raw_symbols(image, *section);
    if (!read) return;
    for (const RawSymbol& stub : *read) {
      const std::size_t at = stub.name.find(mark);
      if (at == std::string_view::npos || !stub.is_defined()) continue;
      table.stub_names_.emplace(stub.value, without_version(stub.name.substr(at + mark.size())));
    }
  }

  // The last entries of MIPS's global table belong to the last symbols, in order.
  void read_mips_slots(Address global_table) {
    const auto layout = read_mips_table(image);
    if (!layout) return;
    const std::uint64_t width = static_cast<std::uint64_t>(image.pointer_width());
    for (std::uint64_t number = layout->first_symbol; number <= symbols.size(); ++number) {
      const auto named = symbol(number);
      if (!named || named->name.empty()) continue;
      const std::uint64_t entry = layout->local_entries + number - layout->first_symbol;
      table.slot_names_.emplace((global_table + entry * width).value, without_version(named->name));
    }
  }

  void read_stubs(const CodeFormat& format) {
    for (const LinkageStub& stub : find_linkage_stubs(image, format)) {
      const auto name = table.name_of_slot(stub.slot);
      if (!name.empty()) table.stub_names_.emplace(stub.start.value, std::string(name));
    }
  }
};

ImportTable::ImportTable(const Image& image, const CodeFormat& format) {
  Reader reader{*this, image, {}};
  reader.read_symbols();
  reader.read_relocations();
  reader.read_canonical_stubs();
  const Section* global_table = image.find_section(".got");
  if (image.machine() == EM_MIPS && global_table != nullptr) {
    reader.read_mips_slots(global_table->address);
  }
  if (image.machine() == EM_PPC) reader.read_named_stubs();
  reader.read_stubs(format);
}

std::string_view ImportTable::name_of_slot(Address slot) const {
  const auto found = slot_names_.find(slot.value);
  return found == slot_names_.end() ? std::string_view() : std::string_view(found->second);
}

std::optional<Address> ImportTable::target_of_slot(Address slot) const {
  const auto found = slot_targets_.find(slot.value);
  return found == slot_targets_.end() ? std::nullopt : std::optional(found->second);
}

std::string_view ImportTable::name_of_stub(Address stub) const {
  const auto found = stub_names_.find(stub.value);
  if (found != stub_names_.end()) return found->second;
  // SPARC and 32-bit PowerPC with a writable linkage table: the stub is what gets relocated.
  return name_of_slot(stub);
}

std::optional<Address> data_base_of(const Image& image, Architecture architecture) {
  const auto address_of = [&image](std::string_view name) -> std::optional<Address> {
    const Section* section = image.find_section(name);
    return section == nullptr ? std::nullopt : std::optional(section->address);
  };
  switch (architecture) {
    case Architecture::i386: {
      const auto for_functions = address_of(".got.plt");
      return for_functions ? for_functions : address_of(".got");
    }
    case Architecture::mips: {
      static constexpr std::uint64_t pointer_bias = 0x7ff0;
      const auto table = address_of(".got");
      return table ? std::optional(*table + pointer_bias) : std::nullopt;
    }
    case Architecture::powerpc: {
      static constexpr std::uint64_t pointer_bias = 0x8000;
      const auto table = address_of(".got");
      return table ? std::optional(*table + pointer_bias) : std::nullopt;
    }
    default:
      return std::nullopt;
  }
}

}  // namespace gprof
