#include "engine/object/pe_headers.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

#include <elf.h>
#include <fmt/format.h>

#include "engine/object/coff_symbol.h"
#include "engine/support/byte_reader.h"

namespace gprof {
namespace {

using Bytes = std::vector<std::byte>;

// Where the DOS header names the offset of the PE header.
constexpr std::uint64_t pe_offset_place = 0x3c;
constexpr std::string_view pe_mark("PE\0\0", 4);
constexpr std::uint64_t file_header_size = 24;  // with the mark
constexpr std::uint64_t section_header_size = 40;
constexpr std::size_t short_name_size = 8;
// Bytes of a long section name that are kept: many sections may refer to one name.
constexpr std::uint64_t max_section_name = 255;

constexpr std::uint16_t machine_i386 = 0x14c;
constexpr std::uint16_t machine_x86_64 = 0x8664;
constexpr std::uint16_t is_executable = 0x0002;  // Characteristics of the file
constexpr std::uint16_t is_library = 0x2000;
constexpr std::uint16_t wide_magic = 0x20b;  // PE32+; PE32 has 0x10b
constexpr std::uint16_t narrow_magic = 0x10b;

constexpr std::uint32_t contains_code = 0x00000020;  // Characteristics of a section
constexpr std::uint32_t memory_execute = 0x20000000;
constexpr std::uint32_t memory_write = 0x80000000;

constexpr std::uint64_t debug_directory = 6;  // of the optional header's data directories
constexpr std::uint64_t debug_entry_size = 28;
constexpr std::uint32_t max_debug_entries = 64;
constexpr std::uint32_t codeview_type = 2;
constexpr std::string_view codeview_mark = "RSDS";
constexpr std::size_t guid_size = 16;

template <typename Integer>
Integer field(const Bytes& bytes, std::uint64_t offset) {
  return stored_integer<Integer>(bytes.data() + offset, ByteOrder::little);
}

std::string_view text_of(const Bytes& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

Expected<Bytes> read_part(const ByteSource& source, std::uint64_t offset, std::uint64_t size,
                          std::string_view what) {
  if (source.holds(offset, size)) return source.read_at(offset, size);
  return Error{ErrorCode::truncated,
               fmt::format("{} of {} bytes expected, the file ends at byte {}; copy or build it "
                           "again",
                           what, size, source.size()),
               source.name(), offset};
}

// What the headers before the section table say.
struct FileHeader {
  std::uint16_t machine = 0;
  std::uint16_t section_count = 0;
  std::uint64_t symbols_offset = 0;
  std::uint64_t symbol_count = 0;
  std::uint16_t characteristics = 0;
  std::uint64_t sections_offset = 0;  // of the section table
  bool wide = false;
  std::uint64_t image_base = 0;
  std::uint32_t entry = 0;                                // relative to image_base
  std::pair<std::uint32_t, std::uint32_t> debug_entries;  // relative address and size
};

// The fields of the optional header that are needed; a program has one, whatever its name.
Expected<void> read_optional_header(const ByteSource& source, std::uint64_t offset,
                                    std::uint64_t size, FileHeader& header) {
  TRY_ASSIGN(const auto bytes, read_part(source, offset, size, "an optional header"));
  const auto magic = bytes.size() < 2 ? std::uint16_t{0} : field<std::uint16_t>(bytes, 0);
  header.wide = magic == wide_magic;
  // The number of data directories comes before them.
  const std::uint64_t directories = header.wide ? 112 : 96;
  if ((magic != wide_magic && magic != narrow_magic) || bytes.size() < directories) {
    return Error{ErrorCode::corrupt,
                 fmt::format("an optional header of at least {} bytes with 0x10b (PE32) or 0x20b "
                             "(PE32+) expected, {} bytes with {:#x} found",
                             directories, bytes.size(), magic),
                 source.name(), offset};
  }
  header.entry = field<std::uint32_t>(bytes, 16);
  header.image_base =
      header.wide ? field<std::uint64_t>(bytes, 24) : field<std::uint32_t>(bytes, 28);
  const auto directory_count = field<std::uint32_t>(bytes, directories - 4);
  const std::uint64_t place = directories + debug_directory * 8;
  if (directory_count > debug_directory && place + 8 <= bytes.size()) {
    header.debug_entries = {field<std::uint32_t>(bytes, place),
                            field<std::uint32_t>(bytes, place + 4)};
  }
  return {};
}

Expected<FileHeader> read_file_header(const ByteSource& source) {
  const auto dos_program = [&source] {
    return Error{ErrorCode::wrong_format,
                 "this is a program of DOS or 16-bit Windows; only ELF and PE programs can be read",
                 source.name(), std::nullopt};
  };
  if (!source.holds(pe_offset_place, 4)) return dos_program();
  TRY_ASSIGN(const auto place, source.read_at(pe_offset_place, 4));
  const auto start = field<std::uint32_t>(place, 0);
  if (!source.holds(start, pe_mark.size())) return dos_program();
  TRY_ASSIGN(const auto mark, source.read_at(start, pe_mark.size()));
  if (text_of(mark) != pe_mark) return dos_program();

  TRY_ASSIGN(const auto bytes, read_part(source, start, file_header_size, "a PE file header"));
  FileHeader header;
  header.machine = field<std::uint16_t>(bytes, 4);
  header.section_count = field<std::uint16_t>(bytes, 6);
  header.symbols_offset = field<std::uint32_t>(bytes, 12);
  header.symbol_count = field<std::uint32_t>(bytes, 16);
  const auto optional_size = field<std::uint16_t>(bytes, 20);
  header.characteristics = field<std::uint16_t>(bytes, 22);
  const std::uint64_t optional_offset = start + file_header_size;
  header.sections_offset = optional_offset + optional_size;
  if (header.machine != machine_i386 && header.machine != machine_x86_64) {
    return Error{ErrorCode::unsupported,
                 fmt::format("a PE program for processor 0x14c (i386) or 0x8664 (x86-64) expected, "
                             "one for {:#x} found",
                             header.machine),
                 source.name(), start + 4};
  }
  TRY(read_optional_header(source, optional_offset, optional_size, header));
  return header;
}

// What the linker adds for debuggers is loaded too, but belongs to no part of the program.
bool is_debug_section(std::string_view name) {
  return name.starts_with(".debug") || name.starts_with(".zdebug") || name.starts_with(".stab") ||
         name.starts_with(".gnu_debug");
}

class SectionReader {
 public:
  SectionReader(const ByteSource& source, const FileHeader& header)
      : source_(source),
        header_(header),
        strings_offset_(header.symbols_offset + header.symbol_count * coff_symbol_size) {}

  Expected<std::vector<Section>> read() {
    TRY_ASSIGN(
        const auto table,
        read_part(source_, header_.sections_offset, header_.section_count * section_header_size,
                  fmt::format("{} section headers", header_.section_count)));
    std::vector<Section> sections(1);  // the null section: numbers begin with 1
    for (std::uint64_t i = 0; i < header_.section_count; ++i) {
      sections.push_back(section_of(table, i * section_header_size));
      sections.back().index = i + 1;
    }
    if (header_.symbols_offset != 0 && header_.symbol_count != 0) add_symbols(sections);
    return sections;
  }

 private:
  [[nodiscard]] Section section_of(const Bytes& table, std::uint64_t at) const {
    Section section;
    section.name = name_of(text_of(table).substr(at, short_name_size));
    const auto memory_size = field<std::uint32_t>(table, at + 8);
    const auto file_size = field<std::uint32_t>(table, at + 16);
    const auto file_offset = field<std::uint32_t>(table, at + 20);
    const auto characteristics = field<std::uint32_t>(table, at + 36);
    section.address = Address{header_.image_base + field<std::uint32_t>(table, at + 12)};
    section.offset = file_offset;
    const bool has_bytes = file_size != 0 && file_offset != 0;
    section.type = has_bytes ? SHT_PROGBITS : SHT_NOBITS;
    // Bytes in the file are rounded up to its alignment; what they lack in memory is zero.
    section.size =
        has_bytes && (memory_size == 0 || file_size < memory_size) ? file_size : memory_size;
    if (!is_debug_section(section.name)) section.flags |= SHF_ALLOC;
    if ((characteristics & (contains_code | memory_execute)) != 0) section.flags |= SHF_EXECINSTR;
    if ((characteristics & memory_write) != 0) section.flags |= SHF_WRITE;
    return section;
  }

  // Up to eight bytes, or "/123": an offset in the string table.
  [[nodiscard]] std::string name_of(std::string_view field) const {
    const std::string_view name = field.substr(0, field.find('\0'));
    if (!name.starts_with('/') || header_.symbols_offset == 0) return std::string(name);
    std::uint64_t offset = 0;
    const char* end = name.data() + name.size();
    const auto [parsed, error] = std::from_chars(name.data() + 1, end, offset);
    const std::uint64_t start = strings_offset_ + offset;
    if (error != std::errc() || parsed != end || start >= source_.size()) return std::string(name);
    const auto bytes = source_.read_at(start, std::min(max_section_name, source_.size() - start));
    if (!bytes) return std::string(name);
    const std::string_view text = text_of(*bytes);
    return std::string(text.substr(0, text.find('\0')));
  }

  void add_symbols(std::vector<Section>& sections) const {
    Section symbols;
    symbols.index = sections.size();
    symbols.name = ".symtab";
    symbols.type = SHT_SYMTAB;
    symbols.offset = header_.symbols_offset;
    symbols.size = header_.symbol_count * coff_symbol_size;
    symbols.link = static_cast<std::uint32_t>(symbols.index + 1);
    symbols.entry_size = coff_symbol_size;
    Section strings;
    strings.index = symbols.index + 1;
    strings.name = ".strtab";
    strings.type = SHT_STRTAB;
    strings.offset = strings_offset_;
    // The table begins with its size, this field included; without long names it may be missing.
    const auto size = source_.holds(strings_offset_, 4) ? source_.read_at(strings_offset_, 4)
                                                        : Expected<Bytes>(Bytes());
    strings.size = size && !size->empty() ? field<std::uint32_t>(*size, 0) : 0;
    sections.push_back(std::move(symbols));
    sections.push_back(std::move(strings));
  }

  const ByteSource& source_;
  const FileHeader& header_;
  std::uint64_t strings_offset_;
};

// A GUID is stored as little-endian numbers of 4, 2 and 2 bytes and 8 single bytes; the build-id is
// the GUID as it is written.
Bytes build_id_of(const Bytes& guid) {
  Bytes id = guid;
  std::reverse(id.begin(), id.begin() + 4);
  std::reverse(id.begin() + 4, id.begin() + 6);
  std::reverse(id.begin() + 6, id.begin() + 8);
  return id;
}

// From the CodeView record; empty if there is none or it is damaged.
Bytes read_codeview_id(const ByteSource& source, const FileHeader& header,
                       const std::vector<Section>& sections) {
  const auto [directory_address, directory_size] = header.debug_entries;
  const Address start{header.image_base + directory_address};
  const auto section = std::ranges::find_if(sections, [&](const Section& candidate) {
    return candidate.type == SHT_PROGBITS && candidate.range().contains(start);
  });
  if (directory_size == 0 || section == sections.end()) return {};
  const std::uint64_t offset = section->offset + (start - section->address);
  const std::uint64_t count =
      std::min<std::uint64_t>(directory_size / debug_entry_size, max_debug_entries);
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto entry = source.read_at(offset + i * debug_entry_size, debug_entry_size);
    if (!entry) return {};
    if (field<std::uint32_t>(*entry, 12) != codeview_type) continue;
    const auto record =
        source.read_at(field<std::uint32_t>(*entry, 24), codeview_mark.size() + guid_size);
    if (!record || !text_of(*record).starts_with(codeview_mark)) continue;
    return build_id_of(Bytes(record->begin() + codeview_mark.size(), record->end()));
  }
  return {};
}

}  // namespace

Expected<ObjectHeaders> read_pe_headers(const ByteSource& source) {
  TRY_ASSIGN(const auto header, read_file_header(source));
  ObjectHeaders headers;
  headers.format = ObjectFormat::pe;
  headers.pointer_width = header.wide ? PointerWidth::eight : PointerWidth::four;
  headers.byte_order = ByteOrder::little;
  headers.machine = header.machine == machine_x86_64 ? EM_X86_64 : EM_386;
  const bool library = (header.characteristics & is_library) != 0;
  headers.file_type = library ? ET_DYN : ET_EXEC;
  headers.is_program = !library && (header.characteristics & is_executable) != 0;
  headers.entry = Address{header.image_base + header.entry};
  TRY_ASSIGN(headers.sections, SectionReader(source, header).read());
  headers.build_id = read_codeview_id(source, header, headers.sections);
  return headers;
}

}  // namespace gprof
