#include "engine/dwarf/line_header.h"

#include <algorithm>
#include <type_traits>
#include <utility>

#include <dwarf.h>
#include <fmt/format.h>

#include "engine/dwarf/source_path.h"

namespace gprof::dwarf {
namespace {

// Linux's PATH_MAX. A file with longer names is trying to exhaust memory.
constexpr std::size_t longest_path = 4096;

struct HeaderReader {
  const DwarfSections& sections;
  const UnitHeader& unit;
  const UnitBases& bases;
  Bytes program;      // after the length field
  ByteReader reader;  // over `program`
  unsigned offset_size = 4;
  LineHeader header;

  Expected<void> read();
  Expected<void> read_fixed_fields();
  Expected<void> read_parameters();
  Expected<void> read_old_tables();
  Expected<void> read_new_tables();
  struct EntryFormat {
    std::uint64_t content;
    std::uint64_t form;
  };
  Expected<std::vector<EntryFormat>> read_format();
  Expected<std::vector<LineHeader::File>> read_entries();
  Expected<std::string_view> read_text(std::uint64_t form);
  Expected<std::uint64_t> read_number(std::uint64_t form);
  Expected<std::optional<SourceDigest>> read_digest();
};

Expected<void> HeaderReader::read() {
  TRY(read_fixed_fields());
  return header.version < 5 ? read_old_tables() : read_new_tables();
}

// Up to the directory and file tables.
Expected<void> HeaderReader::read_fixed_fields() {
  TRY_ASSIGN(auto version, reader.read_u16("line table version"));
  if (version < 2 || version > 5) {
    return reader.error(ErrorCode::unsupported,
                        fmt::format("line table version {}, expected 2 to 5", version));
  }
  header.version = version;
  if (header.version >= 5) {
    TRY_ASSIGN(auto address_size, reader.read_u8("address size"));
    TRY_ASSIGN(auto selector_size, reader.read_u8("segment selector size"));
    if ((address_size != 4 && address_size != 8) || selector_size != 0) {
      return reader.error(ErrorCode::unsupported,
                          fmt::format("addresses of {} bytes with segment selectors of {}, "
                                      "expected 4 or 8 without selectors",
                                      address_size, selector_size));
    }
    header.address_size = address_size;
  } else {
    header.address_size = unit.address_size;
  }
  TRY_ASSIGN(auto length, read_section_offset(reader, offset_size, "header length"));
  if (length > reader.remaining()) {
    return reader.error(
        ErrorCode::corrupt,
        fmt::format("the header's length says {} bytes, {} are left", length, reader.remaining()));
  }
  header.program = program.subspan(reader.offset() + length);
  return read_parameters();
}

// The parameters for decoding instructions. Refuses those that would divide by zero.
Expected<void> HeaderReader::read_parameters() {
  const auto read_byte = [&](auto& field) -> Expected<void> {
    TRY_ASSIGN(auto byte, reader.read_u8("line table parameters"));
    field = static_cast<std::remove_reference_t<decltype(field)>>(byte);
    return {};
  };
  TRY(read_byte(header.minimum_instruction_length));
  if (header.version >= 4) {
    TRY(read_byte(header.operations_per_instruction));
  }
  TRY(read_byte(header.default_is_statement));
  TRY(read_byte(header.line_base));
  TRY(read_byte(header.line_range));
  TRY(read_byte(header.opcode_base));
  if (header.operations_per_instruction == 0 || header.line_range == 0 || header.opcode_base == 0) {
    return reader.error(
        ErrorCode::corrupt,
        fmt::format("{} operations per instruction, line range {}, opcode base {}, "
                    "expected 1 or more of each",
                    header.operations_per_instruction, header.line_range, header.opcode_base));
  }
  TRY_ASSIGN(auto lengths, reader.read_bytes(header.opcode_base - 1u, "opcode lengths"));
  header.opcode_lengths = lengths;
  return {};
}

Expected<void> HeaderReader::read_old_tables() {
  header.directories.emplace_back();
  while (true) {
    TRY_ASSIGN(auto directory, read_string(reader, program, "the line table's directories"));
    if (directory.empty()) break;
    header.directories.push_back(directory);
  }
  header.files.emplace_back();
  while (true) {
    TRY_ASSIGN(auto name, read_string(reader, program, "the line table's files"));
    if (name.empty()) return {};
    TRY_ASSIGN(auto directory, read_uleb128(reader, "directory of a file"));
    for (const char* ignored : {"time of a file", "size of a file"}) {
      TRY(read_uleb128(reader, ignored));
    }
    header.files.push_back({name, directory, std::nullopt});
  }
}

Expected<void> HeaderReader::read_new_tables() {
  TRY_ASSIGN(auto directories, read_entries());
  for (const LineHeader::File& entry : directories) header.directories.push_back(entry.name);
  TRY_ASSIGN(auto files, read_entries());
  header.files = std::move(files);
  return {};
}

Expected<std::vector<HeaderReader::EntryFormat>> HeaderReader::read_format() {
  TRY_ASSIGN(auto count, reader.read_u8("number of entry formats"));
  std::vector<EntryFormat> formats;
  for (unsigned i = 0; i < count; ++i) {
    TRY_ASSIGN(auto content, read_uleb128(reader, "content of an entry"));
    TRY_ASSIGN(auto form, read_uleb128(reader, "form of an entry"));
    formats.push_back({content, form});
  }
  return formats;
}

Expected<std::vector<LineHeader::File>> HeaderReader::read_entries() {
  TRY_ASSIGN(auto formats, read_format());
  TRY_ASSIGN(auto count, read_uleb128(reader, "number of entries"));
  // Every form that is read below takes a byte or more.
  if (count > reader.remaining() || (formats.empty() && count != 0)) {
    return reader.error(
        ErrorCode::corrupt,
        fmt::format("{} entries of a line table's files in {} bytes", count, reader.remaining()));
  }
  std::vector<LineHeader::File> entries;
  for (std::uint64_t i = 0; i < count; ++i) {
    LineHeader::File entry;
    for (const auto& [content, form] : formats) {
      if (content == DW_LNCT_path) {
        TRY_ASSIGN(auto text, read_text(form));
        entry.name = text;
        continue;
      }
      if (content == DW_LNCT_MD5 && form == DW_FORM_data16) {
        TRY_ASSIGN(auto digest, read_digest());
        entry.digest = digest;
        continue;
      }
      TRY_ASSIGN(auto value, read_number(form));
      if (content == DW_LNCT_directory_index) entry.directory = value;
    }
    entries.push_back(entry);
  }
  return entries;
}

Expected<std::string_view> HeaderReader::read_text(std::uint64_t form) {
  switch (form) {
    case DW_FORM_string:
      return read_string(reader, program, "the line table's names");
    case DW_FORM_line_strp:
    case DW_FORM_strp: {
      TRY_ASSIGN(auto offset, read_section_offset(reader, offset_size, "offset of a name"));
      return form == DW_FORM_strp
                 ? sections.text_at(offset)
                 : string_at(sections.line_str, offset, sections, ".debug_line_str");
    }
    case DW_FORM_strx:
    case DW_FORM_strx1:
    case DW_FORM_strx2:
    case DW_FORM_strx4: {
      TRY_ASSIGN(auto index, read_number(form));
      const auto text = string_at_index(sections, unit, bases, index);
      if (text) return *text;
      return reader.error(ErrorCode::corrupt, fmt::format("no string has the index {}", index));
    }
    default:
      return reader.error(ErrorCode::unsupported, fmt::format("a name of form {:#x}", form));
  }
}

// Skips forms that are not numbers and returns 0.
Expected<std::uint64_t> HeaderReader::read_number(std::uint64_t form) {
  const auto fixed = [&](std::uint64_t size) -> Expected<std::uint64_t> {
    TRY_ASSIGN(auto bytes, reader.read_bytes(size, "a field of the line table's files"));
    if (size > 8) return std::uint64_t{0};
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < size; ++i) {
      const std::size_t at = sections.order == ByteOrder::little ? size - 1 - i : i;
      value = value << 8 | std::to_integer<std::uint64_t>(bytes[at]);
    }
    return value;
  };
  switch (form) {
    case DW_FORM_data1:
    case DW_FORM_strx1:
      return fixed(1);
    case DW_FORM_data2:
    case DW_FORM_strx2:
      return fixed(2);
    case DW_FORM_data4:
    case DW_FORM_strx4:
      return fixed(4);
    case DW_FORM_data8:
      return fixed(8);
    case DW_FORM_data16:
      return fixed(16);
    case DW_FORM_udata:
    case DW_FORM_strx:
      return read_uleb128(reader, "a field of the line table's files");
    case DW_FORM_line_strp:
    case DW_FORM_strp:
      return fixed(offset_size);
    case DW_FORM_string: {
      TRY(read_string(reader, program, "the line table's names"));
      return std::uint64_t{0};
    }
    case DW_FORM_block: {
      TRY_ASSIGN(auto size, read_uleb128(reader, "size of a block"));
      TRY(reader.read_bytes(size, "block"));
      return std::uint64_t{0};
    }
    default:
      return reader.error(ErrorCode::unsupported, fmt::format("a field of form {:#x}", form));
  }
}

// None if it is all zero: the producer had to write a digest but knew none.
Expected<std::optional<SourceDigest>> HeaderReader::read_digest() {
  SourceDigest digest;
  TRY_ASSIGN(auto bytes, reader.read_bytes(digest.size(), "MD5 of a file"));
  std::copy(bytes.begin(), bytes.end(), digest.begin());
  if (digest == SourceDigest{}) return std::optional<SourceDigest>();
  return std::optional(digest);
}

Error damaged(const DwarfSections& sections, std::uint64_t offset, const Error& reason) {
  return Error{
      reason.code,
      fmt::format("the line table at {:#x} of .debug_line is left out: {}", offset, reason.message),
      sections.path,
      {}};
}

}  // namespace

LineTableSize line_table_size(const DwarfSections& sections, std::uint64_t offset) {
  if (offset > sections.line.size()) return {};
  ByteReader reader(sections.line.subspan(offset), sections.order, sections.path);
  const auto first = reader.read_u32("line table length");
  const unsigned offset_size = first && *first == 0xFFFFFFFF ? 8 : 4;
  const auto length = offset_size == 8 ? reader.read_u64("64-bit line table length")
                                       : Expected<std::uint64_t>(first ? *first : 0);
  if (!first || !length) return {};
  LineTableSize size;
  size.all = reader.offset() + std::min(*length, reader.remaining());
  const auto version = reader.read_u16("line table version");
  // The sizes of addresses and of segment selectors.
  if (version && *version >= 5) (void)reader.read_u16("sizes");
  const auto header = read_section_offset(reader, offset_size, "header length");
  size.header = std::min(reader.offset() + (header ? *header : 0), size.all);
  if (header && *header > size.all) size.header = size.all;
  return size;
}

Expected<LineHeader> read_line_header(const DwarfSections& sections, std::uint64_t offset,
                                      const UnitHeader& unit, const UnitBases& bases) {
  const auto table = sections.line_bytes(offset);
  if (!table) return damaged(sections, offset, table.error());
  ByteReader start(*table, sections.order, sections.path);
  auto first = start.read_u32("line table length");
  if (!first) return damaged(sections, offset, first.error());
  const unsigned offset_size = *first == 0xFFFFFFFF ? 8 : 4;
  std::uint64_t length = *first;
  if (offset_size == 8) {
    auto wide = start.read_u64("64-bit line table length");
    if (!wide) return damaged(sections, offset, wide.error());
    length = *wide;
  }
  auto program = start.read_bytes(length, "line table");
  if (!program) return damaged(sections, offset, program.error());
  HeaderReader header_reader{
      sections,    unit, bases, *program, ByteReader(*program, sections.order, sections.path),
      offset_size, {}};
  if (auto read = header_reader.read(); !read) return damaged(sections, offset, read.error());
  return std::move(header_reader.header);
}

std::vector<std::string> file_paths(const LineHeader& header,
                                    std::string_view compilation_directory) {
  std::vector<std::string> directories;
  directories.reserve(header.directories.size());
  for (const std::string_view directory : header.directories) {
    const bool sound = directory.size() + compilation_directory.size() <= longest_path;
    // Directory 0 is the base of the others; DWARF 5 may state it itself, relative like the unit's.
    const bool is_stated = directories.empty() && directory == compilation_directory;
    const std::string_view base =
        directories.empty() ? compilation_directory : std::string_view(directories.front());
    directories.push_back(!sound      ? std::string()
                          : is_stated ? std::string(directory)
                                      : joined_path(base, directory));
  }
  if (directories.empty()) directories.emplace_back(compilation_directory);
  std::vector<std::string> paths;
  paths.reserve(header.files.size());
  for (const LineHeader::File& file : header.files) {
    const bool named = !file.name.empty() && !file.name.starts_with('<');
    if (!named || file.directory >= directories.size() ||
        directories[file.directory].size() + file.name.size() >= longest_path) {
      paths.emplace_back();
    } else {
      paths.push_back(canonical_path(joined_path(directories[file.directory], file.name)));
    }
  }
  return paths;
}

std::string written_path(const LineHeader& header, std::size_t file_number,
                         std::string_view compilation_directory) {
  const LineHeader::File& file = header.files[file_number];
  std::string_view directory;
  // Directory 0 is the compilation directory, even if DWARF 5 repeats it.
  const bool has_own = file.directory != 0 || compilation_directory.empty();
  if (has_own && file.directory < header.directories.size()) {
    directory = header.directories[file.directory];
  }
  const std::size_t size = compilation_directory.size() + directory.size() + file.name.size();
  std::string path;
  if (file.name.empty() || size >= longest_path) return path;
  const std::string_view parts[] = {compilation_directory, directory, file.name};
  for (const std::string_view part : parts) {
    if (part.empty()) continue;
    if (part.starts_with('/')) path.clear();
    if (!path.empty()) path += '/';
    path += part;
  }
  return path;
}

}  // namespace gprof::dwarf
