// Builds small ELF files in memory, of either class and byte order, to test what no installed
// compiler generates.
//
// Sections follow the ELF header one after the other, then come the symbol table, the string tables
// and the section headers. Thread contract: one thread.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <elf.h>

#include "engine/support/units.h"

namespace gprof::test {

class ElfBuilder {
 public:
  ElfBuilder(PointerWidth width, ByteOrder order, std::uint16_t machine,
             std::uint16_t file_type = ET_EXEC)
      : wide_(width == PointerWidth::eight),
        order_(order),
        machine_(machine),
        file_type_(file_type) {}

  struct SectionSpec {
    std::string name;
    std::uint32_t type = SHT_PROGBITS;
    std::uint64_t flags = 0;
    std::uint64_t address = 0;
    std::vector<std::byte> bytes;
    std::uint32_t link = 0;
    std::uint64_t entry_size = 0;
  };
  // The index in the section header table, from 1.
  std::uint32_t add_section(SectionSpec section) {
    sections_.push_back(std::move(section));
    return static_cast<std::uint32_t>(sections_.size());
  }
  std::uint32_t add_text(std::uint64_t address, std::vector<std::byte> bytes) {
    return add_section(
        {".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, address, std::move(bytes), 0, 0});
  }

  // NT_GNU_BUILD_ID.
  void add_build_id(std::string_view id) {
    std::vector<std::byte> note;
    put(note, 4, 4);
    put(note, id.size(), 4);
    put(note, NT_GNU_BUILD_ID, 4);
    append(note, bytes_of(std::string("GNU\0", 4)));
    append(note, bytes_of(id));
    note.resize((note.size() + 3) / 4 * 4);
    add_section({".note.gnu.build-id", SHT_NOTE, SHF_ALLOC, 0x200, std::move(note), 0, 0});
  }

  void add_symbol(std::string_view name, std::uint64_t value, std::uint64_t size, unsigned binding,
                  unsigned type, std::uint32_t section) {
    symbols_.push_back(
        {std::string(name), value, size, static_cast<std::uint8_t>(binding << 4 | type), section});
  }
  void set_flags(std::uint32_t processor_flags) { flags_ = processor_flags; }

  // An integer of `size` bytes in the file's byte order.
  [[nodiscard]] std::vector<std::byte> integer(std::uint64_t value, std::size_t size) const {
    std::vector<std::byte> bytes(size);
    for (std::size_t i = 0; i < size; ++i) {
      const std::size_t at = order_ == ByteOrder::little ? i : size - 1 - i;
      bytes[at] = static_cast<std::byte>(value >> (8 * i));
    }
    return bytes;
  }

  [[nodiscard]] std::vector<std::byte> build() const {
    std::vector<SectionSpec> sections = sections_;
    if (!symbols_.empty()) add_symbol_sections(sections);
    sections.push_back({".shstrtab", SHT_STRTAB, 0, 0, {}, 0, 0});
    std::string names(1, '\0');
    std::vector<std::size_t> name_offsets;
    for (const SectionSpec& section : sections) {
      name_offsets.push_back(names.size());
      names += section.name + '\0';
    }
    sections.back().bytes = bytes_of(names);

    std::vector<std::byte> file(wide_ ? sizeof(Elf64_Ehdr) : sizeof(Elf32_Ehdr));
    std::vector<std::size_t> offsets;
    for (const SectionSpec& section : sections) {
      file.resize((file.size() + 7) / 8 * 8);
      offsets.push_back(file.size());
      if (section.type != SHT_NOBITS) append(file, section.bytes);
    }
    file.resize((file.size() + 7) / 8 * 8);
    const std::size_t headers_offset = file.size();
    put_section_header(file, {}, 0, 0);
    for (std::size_t i = 0; i < sections.size(); ++i) {
      put_section_header(file, sections[i], name_offsets[i], offsets[i]);
    }
    const std::vector<std::byte> header = file_header(headers_offset, sections.size() + 1);
    std::copy(header.begin(), header.end(), file.begin());
    return file;
  }

 private:
  struct SymbolSpec {
    std::string name;
    std::uint64_t value;
    std::uint64_t size;
    std::uint8_t information;
    std::uint32_t section;
  };

  static std::vector<std::byte> bytes_of(std::string_view text) {
    std::vector<std::byte> bytes;
    for (const char letter : text) bytes.push_back(static_cast<std::byte>(letter));
    return bytes;
  }
  static void append(std::vector<std::byte>& file, const std::vector<std::byte>& bytes) {
    file.insert(file.end(), bytes.begin(), bytes.end());
  }
  void put(std::vector<std::byte>& file, std::uint64_t value, std::size_t size) const {
    append(file, integer(value, size));
  }
  [[nodiscard]] std::size_t word() const { return wide_ ? 8 : 4; }

  void add_symbol_sections(std::vector<SectionSpec>& sections) const {
    std::string strings(1, '\0');
    std::vector<std::byte> table(wide_ ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym));
    const std::size_t entry_size = table.size();
    for (const SymbolSpec& symbol : symbols_) {
      put(table, strings.size(), 4);
      strings += symbol.name + '\0';
      if (!wide_) put(table, symbol.value, 4);
      if (!wide_) put(table, symbol.size, 4);
      put(table, symbol.information, 1);
      put(table, 0, 1);
      put(table, symbol.section, 2);
      if (wide_) put(table, symbol.value, 8);
      if (wide_) put(table, symbol.size, 8);
    }
    const auto string_index = static_cast<std::uint32_t>(sections.size() + 2);
    sections.push_back({".symtab", SHT_SYMTAB, 0, 0, table, string_index, entry_size});
    sections.push_back({".strtab", SHT_STRTAB, 0, 0, bytes_of(strings), 0, 0});
  }

  void put_section_header(std::vector<std::byte>& file, const SectionSpec& section,
                          std::size_t name_offset, std::size_t offset) const {
    const bool null = name_offset == 0;
    put(file, name_offset, 4);
    put(file, null ? std::uint32_t{SHT_NULL} : section.type, 4);
    put(file, section.flags, word());
    put(file, section.address, word());
    put(file, offset, word());
    put(file, section.bytes.size(), word());
    put(file, section.link, 4);
    put(file, 0, 4);
    put(file, null ? 0 : 1, word());
    put(file, section.entry_size, word());
  }

  [[nodiscard]] std::vector<std::byte> file_header(std::size_t headers_offset,
                                                   std::size_t section_count) const {
    std::vector<std::byte> header = bytes_of(ELFMAG);
    put(header, wide_ ? ELFCLASS64 : ELFCLASS32, 1);
    put(header, order_ == ByteOrder::little ? ELFDATA2LSB : ELFDATA2MSB, 1);
    put(header, EV_CURRENT, 1);
    header.resize(EI_NIDENT);
    put(header, file_type_, 2);
    put(header, machine_, 2);
    put(header, EV_CURRENT, 4);
    put(header, 0, word());  // entry
    put(header, 0, word());  // program headers
    put(header, headers_offset, word());
    put(header, flags_, 4);
    put(header, wide_ ? sizeof(Elf64_Ehdr) : sizeof(Elf32_Ehdr), 2);
    put(header, wide_ ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr), 2);
    put(header, 0, 2);
    put(header, wide_ ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr), 2);
    put(header, section_count, 2);
    put(header, section_count - 1, 2);
    return header;
  }

  bool wide_;
  ByteOrder order_;
  std::uint16_t machine_;
  std::uint16_t file_type_;
  std::uint32_t flags_ = 0;
  std::vector<SectionSpec> sections_;
  std::vector<SymbolSpec> symbols_;
};

}  // namespace gprof::test
