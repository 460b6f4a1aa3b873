// Build-id notes and the dynamic section: who an ELF file is.
#include <algorithm>

#include <elf.h>

#include "engine/object/elf_headers.h"
#include "engine/support/byte_reader.h"

namespace gprof {
namespace {

// Far above what linkers write; bounds what a hostile file can make us read.
constexpr std::uint64_t largest_note_area = std::uint64_t{64} << 10;
constexpr std::size_t most_note_areas = 64;
constexpr std::uint64_t largest_dynamic_section = std::uint64_t{64} << 10;

std::uint64_t padding_to(std::uint64_t offset, std::uint64_t alignment) {
  return (alignment - offset % alignment) % alignment;
}

struct NoteArea {
  std::uint64_t offset = 0;
  std::uint64_t size = 0;
  std::uint64_t alignment = 4;
};

// Sections first: in a separate debug file the segments' offsets mean nothing.
std::vector<NoteArea> note_areas(const ElfHeaders& headers) {
  std::vector<NoteArea> areas;
  for (const Section& section : headers.sections) {
    if (section.type == SHT_NOTE) areas.push_back({section.offset, section.size, 4});
  }
  for (const Segment& segment : headers.segments) {
    if (segment.type != PT_NOTE) continue;
    const std::uint64_t alignment = segment.alignment == 8 ? 8 : 4;
    areas.push_back({segment.offset, segment.file_size, alignment});
  }
  if (areas.size() > most_note_areas) areas.resize(most_note_areas);
  return areas;
}

struct Note {
  std::uint32_t type = 0;
  std::span<const std::byte> name;
  std::span<const std::byte> description;
};

std::optional<Note> read_note(ByteReader& reader, std::uint64_t alignment) {
  const auto name_size = reader.read_u32("note name size");
  const auto description_size = reader.read_u32("note description size");
  const auto type = reader.read_u32("note type");
  if (!name_size || !description_size || !type) return std::nullopt;
  const auto name = reader.read_bytes(*name_size, "note name");
  if (!name) return std::nullopt;
  if (!reader.read_bytes(padding_to(reader.offset(), alignment), "note padding")) {
    return std::nullopt;
  }
  const auto description = reader.read_bytes(*description_size, "note description");
  if (!description) return std::nullopt;
  // The last note's padding may be missing.
  const std::uint64_t padding = padding_to(reader.offset(), alignment);
  (void)reader.read_bytes(std::min(padding, reader.remaining()), "note padding");
  return Note{*type, *name, *description};
}

bool is_gnu_name(std::span<const std::byte> name) {
  static constexpr std::string_view gnu("GNU\0", 4);
  return name.size() == gnu.size() &&
         std::equal(name.begin(), name.end(), gnu.begin(), [](std::byte byte, char letter) {
           return std::to_integer<char>(byte) == letter;
         });
}

// The tags of the dynamic section that is_program_file() needs.
struct DynamicTags {
  bool has_shared_name = false;
  bool is_position_independent_program = false;
};

DynamicTags read_dynamic_tags(const ByteSource& source, const ElfHeaders& headers) {
  DynamicTags tags;
  for (const Segment& segment : headers.segments) {
    if (segment.type != PT_DYNAMIC) continue;
    const auto bytes =
        source.read_at(segment.offset, std::min(segment.file_size, largest_dynamic_section));
    if (!bytes) continue;
    ByteReader reader(*bytes, headers.byte_order, source.name());
    while (true) {
      const auto tag = reader.read_word(headers.pointer_width, "dynamic tag");
      const auto value = reader.read_word(headers.pointer_width, "dynamic value");
      if (!tag || !value || *tag == DT_NULL) break;
      if (*tag == DT_SONAME) tags.has_shared_name = true;
      if (*tag == DT_FLAGS_1 && (*value & DF_1_PIE) != 0) {
        tags.is_position_independent_program = true;
      }
    }
  }
  return tags;
}

}  // namespace

std::vector<std::byte> read_build_id(const ByteSource& source, const ElfHeaders& headers) {
  for (const NoteArea& area : note_areas(headers)) {
    const auto bytes = source.read_at(area.offset, std::min(area.size, largest_note_area));
    if (!bytes) continue;
    ByteReader reader(*bytes, headers.byte_order, source.name());
    while (!reader.at_end()) {
      const auto note = read_note(reader, area.alignment);
      if (!note) break;
      if (note->type == NT_GNU_BUILD_ID && is_gnu_name(note->name)) {
        return {note->description.begin(), note->description.end()};
      }
    }
  }
  return {};
}

bool is_program_file(const ByteSource& source, const ElfHeaders& headers) {
  if (headers.file_type == ET_EXEC) return true;
  if (headers.file_type != ET_DYN) return false;
  for (const Segment& segment : headers.segments) {
    if (segment.type == PT_INTERP) return true;
  }
  const DynamicTags tags = read_dynamic_tags(source, headers);
  if (tags.is_position_independent_program) return true;
  return headers.entry != Address{0} && !tags.has_shared_name;
}

}  // namespace gprof
