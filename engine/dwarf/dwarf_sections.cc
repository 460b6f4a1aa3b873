#include "engine/dwarf/dwarf_sections.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "engine/support/limits.h"

namespace gprof::dwarf {

Expected<Bytes> find_section_bytes(const Image& image, const std::string& name) {
  const Section* section = image.find_section(name);
  if (section == nullptr) return Bytes{};
  return image.section_bytes(*section);
}

namespace {

Error outside(std::uint64_t offset, std::string_view section_name, std::uint64_t size,
              const std::string& path) {
  return Error{ErrorCode::corrupt,
               fmt::format("a reference to byte {:#x} of {}, which has {:#x} bytes", offset,
                           section_name, size),
               path,
               {}};
}

// The section, to be read in parts; null if it is small, compressed or absent.
std::shared_ptr<SectionParts> parts_of(const std::shared_ptr<const Image>& image,
                                       const std::string& name) {
  const Section* section = image->find_section(name);
  if (section == nullptr || !image->has_parts(*section)) return nullptr;
  return std::make_shared<SectionParts>(image, *section);
}

Expected<DwarfSections> load_all(const std::shared_ptr<const Image>& image, SectionSet set,
                                 bool in_parts) {
  DwarfSections sections;
  sections.order = image->byte_order();
  sections.path = image->path();
  sections.file_size = image->file_size();
  sections.owners.push_back(image);
  const std::array<std::pair<const char*, Bytes*>, 9> wanted = {{
      {".debug_info", &sections.info},
      {".debug_abbrev", &sections.abbrev},
      {".debug_line", &sections.line},
      {".debug_str", &sections.str},
      {".debug_line_str", &sections.line_str},
      {".debug_str_offsets", &sections.str_offsets},
      {".debug_addr", &sections.addr},
      {".debug_ranges", &sections.ranges},
      {".debug_rnglists", &sections.rnglists},
  }};
  const char* suffix = set == SectionSet::split ? ".dwo" : "";
  for (const auto& [name, bytes] : wanted) {
    if (in_parts) {
      auto* parts = bytes == &sections.info   ? &sections.info_parts
                    : bytes == &sections.line ? &sections.line_parts
                    : bytes == &sections.str  ? &sections.str_parts
                                              : nullptr;
      if (parts != nullptr) *parts = parts_of(image, name);
      if (parts != nullptr && *parts) continue;
    }
    TRY_ASSIGN(auto found, find_section_bytes(*image, std::string(name) + suffix));
    *bytes = found;
  }
  return sections;
}

}  // namespace

Expected<Bytes> DwarfSections::unit_bytes(std::uint64_t begin, std::uint64_t end) const {
  if (info_parts) return info_parts->part(begin, end);
  return info.subspan(begin, end - begin);
}

Expected<Bytes> DwarfSections::line_bytes(std::uint64_t offset) const {
  const std::uint64_t all = line_parts ? line_parts->size() : line.size();
  if (offset > all) return outside(offset, ".debug_line", all, path);
  if (!line_parts) return line.subspan(offset);
  constexpr std::uint64_t longest_length = 12;
  const std::uint64_t rest = all - offset;
  auto begin = line_parts->part(offset, offset + std::min(rest, longest_length));
  if (!begin) return begin;
  ByteReader reader(*begin, order, path);
  const auto first = reader.read_u32("line table length");
  std::uint64_t length = first ? *first : 0;
  if (length == 0xFFFFFFFF) {
    const auto wide = reader.read_u64("64-bit line table length");
    length = wide ? *wide : 0;
  }
  // The code that reads it reports a wrong length.
  const std::uint64_t size = std::min(rest - reader.offset(), length);
  return line_parts->part(offset, offset + reader.offset() + size);
}

Expected<std::string_view> DwarfSections::text_at(std::uint64_t offset) const {
  if (str_parts) {
    if (const auto text = str_parts->text_at(offset)) return *text;
  }
  TRY_ASSIGN(const auto all, str_parts ? str_parts->all() : Expected<Bytes>(str));
  return string_at(all, offset, *this, ".debug_str");
}

Expected<DwarfSections> load_sections(const std::shared_ptr<const Image>& image, SectionSet set) {
  return load_all(image, set, false);
}

Expected<DwarfSections> load_sections_of_known_units(const std::shared_ptr<const Image>& image) {
  return load_all(image, SectionSet::plain, true);
}

Expected<ByteReader> reader_at(Bytes section, std::uint64_t offset, const DwarfSections& sections,
                               std::string_view section_name) {
  if (offset > section.size()) return outside(offset, section_name, section.size(), sections.path);
  return ByteReader(section.subspan(offset), sections.order, sections.path);
}

namespace {

// The end of the string at the start of the bytes; null if no zero terminates it.
const char* find_terminator(Bytes bytes) {
  if (bytes.empty()) return nullptr;
  return static_cast<const char*>(std::memchr(bytes.data(), 0, bytes.size()));
}

}  // namespace

Expected<std::string_view> string_at(Bytes section, std::uint64_t offset,
                                     const DwarfSections& sections, std::string_view section_name) {
  TRY_ASSIGN(auto reader, reader_at(section, offset, sections, section_name));
  const Bytes rest = section.subspan(offset);
  if (rest.size() > longest_shared_name) {
    const Bytes longest = rest.first(longest_shared_name);
    if (find_terminator(longest) == nullptr) {
      return std::string_view(reinterpret_cast<const char*>(longest.data()), longest.size());
    }
  }
  return read_string(reader, rest, section_name);
}

Expected<std::string_view> read_string(ByteReader& reader, Bytes section, std::string_view what) {
  const Bytes rest = section.subspan(reader.offset());
  const char* end = find_terminator(rest);
  if (end == nullptr) {
    return reader.error(ErrorCode::corrupt, fmt::format("a string without an end in {}", what));
  }
  const auto* begin = reinterpret_cast<const char*>(rest.data());
  const std::string_view text(begin, static_cast<std::size_t>(end - begin));
  TRY(reader.read_bytes(text.size() + 1, what));
  return text;
}

Expected<std::uint64_t> read_uleb128(ByteReader& reader, std::string_view what) {
  std::uint64_t value = 0;
  for (unsigned shift = 0; shift < 70; shift += 7) {
    TRY_ASSIGN(auto byte, reader.read_u8(what));
    if (shift < 64) value |= std::uint64_t{byte & 0x7Fu} << shift;
    if ((byte & 0x80u) == 0) return value;
  }
  return reader.error(ErrorCode::corrupt,
                      fmt::format("{} is a variable-length integer of more than ten bytes", what));
}

Expected<std::uint64_t> read_section_offset(ByteReader& reader, unsigned offset_size,
                                            std::string_view what) {
  return reader.read_word(offset_size == 8 ? PointerWidth::eight : PointerWidth::four, what);
}

}  // namespace gprof::dwarf
