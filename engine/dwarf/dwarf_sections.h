// The DWARF sections of one object file, or of one unit's share of a .dwp package, as bytes.
//
// Ownership: `owners` keeps alive the images whose bytes the spans view. Thread contract: a value;
// any thread may read it.
// Errors: load_sections() fails if a section's bytes cannot be read or decompressed.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/dwarf/section_parts.h"
#include "engine/object/image.h"
#include "engine/support/byte_reader.h"
#include "engine/support/expected.h"

namespace gprof::dwarf {

using Bytes = std::span<const std::byte>;

// Sections read in parts have no bytes here; all others have null parts.
struct DwarfSections {
  Bytes info;
  std::shared_ptr<SectionParts> info_parts;
  Bytes abbrev;
  Bytes line;
  std::shared_ptr<SectionParts> line_parts;
  Bytes str;
  std::shared_ptr<SectionParts> str_parts;
  Bytes line_str;
  Bytes str_offsets;
  Bytes addr;
  Bytes ranges;    // DWARF 2 to 4
  Bytes rnglists;  // DWARF 5
  ByteOrder order = ByteOrder::little;
  std::string path;             // of the file, for messages
  std::uint64_t file_size = 0;  // limits how much may be made of it
  std::vector<std::shared_ptr<const Image>> owners;

  [[nodiscard]] std::uint64_t info_size() const {
    return info_parts ? info_parts->size() : info.size();
  }
  // The bytes of one unit, from its header on.
  [[nodiscard]] Expected<Bytes> unit_bytes(std::uint64_t begin, std::uint64_t end) const;
  // The line table at `offset` of .debug_line, from its length on; may include what follows it.
  [[nodiscard]] Expected<Bytes> line_bytes(std::uint64_t offset) const;
  // The string at `offset` of .debug_str.
  [[nodiscard]] Expected<std::string_view> text_at(std::uint64_t offset) const;
};

enum class SectionSet : std::uint8_t { plain, split };  // .debug_info, .debug_info.dwo

// Absent sections are empty.
[[nodiscard]] Expected<DwarfSections> load_sections(const std::shared_ptr<const Image>& image,
                                                    SectionSet set);

// The same, for callers that know where units are: large sections are read in parts.
[[nodiscard]] Expected<DwarfSections> load_sections_of_known_units(
    const std::shared_ptr<const Image>& image);

// The bytes of one section; empty if there is none.
[[nodiscard]] Expected<Bytes> find_section_bytes(const Image& image, const std::string& name);

// A reader of `section` that starts at `offset`; fails if that is outside it.
[[nodiscard]] Expected<ByteReader> reader_at(Bytes section, std::uint64_t offset,
                                             const DwarfSections& sections,
                                             std::string_view section_name);

// The zero-terminated string at `offset`, cut at longest_shared_name; fails if it is outside or
// unterminated.
[[nodiscard]] Expected<std::string_view> string_at(Bytes section, std::uint64_t offset,
                                                   const DwarfSections& sections,
                                                   std::string_view section_name);

// DWARF's variable-length integers. At most ten bytes; bits beyond the 64th are dropped.
[[nodiscard]] Expected<std::uint64_t> read_uleb128(ByteReader& reader, std::string_view what);

// A 4- or 8-byte section offset, depending on the unit's DWARF format.
[[nodiscard]] Expected<std::uint64_t> read_section_offset(ByteReader& reader, unsigned offset_size,
                                                          std::string_view what);

// The zero-terminated string at the reader.
[[nodiscard]] Expected<std::string_view> read_string(ByteReader& reader, Bytes section,
                                                     std::string_view what);

}  // namespace gprof::dwarf
