// Writes small valid PE files, of 32 and 64 bits; tests damage their bytes.
//
// Thread contract: a value.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gprof::test {

struct PeSection {
  std::string name;
  std::uint32_t address = 0;  // relative to the image base
  std::string bytes;          // in the file; none: .bss
  std::uint32_t memory_size = 0;
  std::uint32_t characteristics = 0;
};

struct PeSymbol {
  std::string name;
  std::uint32_t value = 0;  // relative to the section
  std::int16_t section = 1;
  std::uint16_t type = 0x20;       // a function
  std::uint8_t storage_class = 2;  // external
  std::uint8_t extra_entries = 0;  // filled with 0xff
};

inline constexpr std::uint32_t pe_code = 0x60000020;
inline constexpr std::uint32_t pe_data = 0xC0000040;

class PeBuilder {
 public:
  static constexpr std::uint64_t wide_base = 0x140000000;
  static constexpr std::uint64_t narrow_base = 0x400000;
  static constexpr std::size_t header_offset = 64;  // of "PE\0\0"

  explicit PeBuilder(bool wide = true) : wide_(wide) {}

  [[nodiscard]] std::uint64_t base() const { return wide_ ? wide_base : narrow_base; }
  std::uint16_t characteristics = 0x0002;  // an executable image
  std::vector<PeSection> sections;
  std::vector<PeSymbol> symbols;
  std::string guid;  // 16 bytes, as stored; none: no CodeView record

  [[nodiscard]] std::vector<std::byte> build() const {
    std::vector<PeSection> all = sections;
    constexpr std::uint32_t debug_address = 0x9000;
    if (!guid.empty()) all.push_back({".buildid", debug_address, std::string(64, '\0'), 0, 0});
    std::string strings(4, '\0');
    const std::size_t optional_size = (wide_ ? 112U : 96U) + 16 * 8;
    const std::size_t table_offset = header_offset + 24 + optional_size;
    std::size_t data_offset = table_offset + 40 * all.size();
    std::string table;
    std::string data;
    for (PeSection& section : all) {
      const std::size_t offset = data_offset + data.size();
      if (section.name == ".buildid") section.bytes = debug_entry(offset);
      table += field_name(section.name, strings, '/');
      put(table, section.memory_size != 0 ? section.memory_size : section.bytes.size(), 4);
      put(table, section.address, 4);
      put(table, section.bytes.size(), 4);
      put(table, section.bytes.empty() ? 0 : offset, 4);
      table.append(12, '\0');
      put(table, section.characteristics, 4);
      data += section.bytes;
    }
    const std::string entries = symbol_entries(strings);
    std::string size;
    put(size, strings.size(), 4);
    strings.replace(0, 4, size);

    std::string file = "MZ";
    file.resize(0x3c, '\0');
    put(file, header_offset, 4);
    file += std::string("PE\0\0", 4);
    put(file, wide_ ? 0x8664U : 0x14cU, 2);
    put(file, all.size(), 2);
    put(file, 0, 4);
    put(file, symbols.empty() ? 0 : data_offset + data.size(), 4);
    put(file, entries.size() / 18, 4);
    put(file, optional_size, 2);
    put(file, characteristics, 2);
    file += optional_header(debug_address);
    file += table + data;
    if (!symbols.empty()) file += entries + strings;
    std::vector<std::byte> bytes;
    for (const char letter : file) bytes.push_back(static_cast<std::byte>(letter));
    return bytes;
  }

 private:
  static void put(std::string& text, std::uint64_t value, int size) {
    for (int i = 0; i < size; ++i) text += static_cast<char>(value >> (8 * i) & 0xffU);
  }

  // Eight bytes: the name, or where it is in the strings, by `mark` and decimal digits.
  static std::string field_name(const std::string& name, std::string& strings, char mark) {
    std::string field = name;
    if (name.size() > 8) {
      field = mark + std::to_string(strings.size());
      strings += name + '\0';
    }
    field.resize(8, '\0');
    return field;
  }

  [[nodiscard]] std::string optional_header(std::uint32_t debug_address) const {
    std::string header;
    put(header, wide_ ? 0x20bU : 0x10bU, 2);
    header.resize(16, '\0');
    put(header, 0x1000, 4);  // the entry
    header.resize(wide_ ? 24 : 28, '\0');
    put(header, base(), wide_ ? 8 : 4);
    header.resize(wide_ ? 108 : 92, '\0');
    put(header, 16, 4);  // data directories
    header.append(6 * 8, '\0');
    put(header, guid.empty() ? 0 : debug_address, 4);
    put(header, guid.empty() ? 0 : 28, 4);
    header.append(9 * 8, '\0');
    return header;
  }

  // A debug directory of one entry, and the CodeView record after it.
  [[nodiscard]] std::string debug_entry(std::size_t offset) const {
    std::string bytes(12, '\0');
    put(bytes, 2, 4);
    put(bytes, 24, 4);
    put(bytes, 0, 4);
    put(bytes, offset + 28, 4);
    bytes += "RSDS" + guid;
    bytes.resize(64, '\0');
    return bytes;
  }

  [[nodiscard]] std::string symbol_entries(std::string& strings) const {
    std::string entries;
    for (const PeSymbol& symbol : symbols) {
      if (symbol.name.size() > 8) {
        put(entries, 0, 4);
        put(entries, strings.size(), 4);
        strings += symbol.name + '\0';
      } else {
        std::string field = symbol.name;
        field.resize(8, '\0');
        entries += field;
      }
      put(entries, symbol.value, 4);
      put(entries, static_cast<std::uint16_t>(symbol.section), 2);
      put(entries, symbol.type, 2);
      put(entries, symbol.storage_class, 1);
      put(entries, symbol.extra_entries, 1);
      entries.append(std::size_t{18} * symbol.extra_entries, '\xff');
    }
    return entries;
  }

  bool wide_;
};

}  // namespace gprof::test
