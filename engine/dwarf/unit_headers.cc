#include "engine/dwarf/unit_headers.h"

#include <utility>

#include <dwarf.h>
#include <fmt/format.h>

namespace gprof::dwarf {
namespace {

constexpr std::uint32_t dwarf64_escape = 0xFFFFFFFF;
constexpr std::uint32_t lowest_reserved_length = 0xFFFFFFF0;

Error damaged(const DwarfSections& sections, std::uint64_t offset, std::string_view what) {
  return Error{ErrorCode::corrupt,
               fmt::format("the unit at {:#x} of .debug_info is left out: {}", offset, what),
               sections.path,
               {}};
}

// Reads the length field into `header`; false if nothing after it can be located.
bool read_length(ByteReader& reader, UnitHeader& header, Error& problem,
                 const DwarfSections& sections) {
  auto length = reader.read_u32("unit length");
  if (!length) {
    problem = damaged(sections, header.offset, length.error().message);
    return false;
  }
  std::uint64_t size = *length;
  if (*length == dwarf64_escape) {
    header.offset_size = 8;
    auto wide = reader.read_u64("64-bit unit length");
    if (!wide) {
      problem = damaged(sections, header.offset, wide.error().message);
      return false;
    }
    size = *wide;
  } else if (*length >= lowest_reserved_length) {
    problem = damaged(sections, header.offset,
                      fmt::format("its length is the reserved value {:#x}", *length));
    return false;
  }
  if (size > reader.remaining()) {
    problem = damaged(sections, header.offset,
                      fmt::format("its length says {} bytes, the section has {} left; the units "
                                  "after it cannot be found",
                                  size, reader.remaining()));
    return false;
  }
  header.end = header.offset + reader.offset() + size;
  return true;
}

// False for a kind that DWARF does not define.
bool set_kind(std::uint8_t unit_type, UnitHeader& header) {
  switch (unit_type) {
    case DW_UT_compile:
      header.kind = UnitKind::compile;
      return true;
    case DW_UT_partial:
      header.kind = UnitKind::partial;
      return true;
    case DW_UT_skeleton:
      header.kind = UnitKind::skeleton;
      return true;
    case DW_UT_split_compile:
      header.kind = UnitKind::split_compile;
      return true;
    case DW_UT_type:
    case DW_UT_split_type:
      header.kind = UnitKind::type;
      return true;
    default:
      return false;
  }
}

// The fields between the length and the first DIE. The error's message states the problem.
Expected<void> read_fields(ByteReader& reader, UnitHeader& header) {
  TRY_ASSIGN(auto version, reader.read_u16("DWARF version"));
  if (version < 2 || version > 5) {
    return reader.error(ErrorCode::unsupported,
                        fmt::format("DWARF version {}, expected 2 to 5", version));
  }
  header.version = version;
  const auto read_address_size = [&]() -> Expected<void> {
    TRY_ASSIGN(auto size, reader.read_u8("address size"));
    if (size != 4 && size != 8) {
      return reader.error(ErrorCode::unsupported,
                          fmt::format("addresses of {} bytes, expected 4 or 8", size));
    }
    header.address_size = size;
    return {};
  };
  if (header.version >= 5) {
    TRY_ASSIGN(auto unit_type, reader.read_u8("unit type"));
    if (!set_kind(unit_type, header)) {
      return reader.error(ErrorCode::unsupported, fmt::format("unit type {:#x}", unit_type));
    }
    TRY(read_address_size());
  }
  TRY_ASSIGN(auto abbrev, read_section_offset(reader, header.offset_size, "abbreviation offset"));
  header.abbrev_offset = abbrev;
  if (header.version < 5) return read_address_size();
  if (header.kind == UnitKind::skeleton || header.kind == UnitKind::split_compile) {
    TRY_ASSIGN(auto id, reader.read_u64("split unit id"));
    header.split_id = id;
  }
  return {};
}

}  // namespace

std::vector<UnitHeader> read_unit_headers(const DwarfSections& sections, Warnings& warnings) {
  std::vector<UnitHeader> headers;
  std::uint64_t offset = 0;
  while (offset < sections.info.size()) {
    UnitHeader header;
    header.offset = offset;
    ByteReader reader(sections.info.subspan(offset), sections.order, sections.path);
    Error problem;
    if (!read_length(reader, header, problem, sections)) {
      warnings.push_back(std::move(problem));
      break;
    }
    // The fields must lie inside the unit, not just inside the section.
    const std::uint64_t length_size = reader.offset();
    ByteReader fields(
        sections.info.subspan(offset + length_size, header.end - offset - length_size),
        sections.order, sections.path);
    offset = header.end;
    if (fields.at_end()) continue;  // padding between the units of two files
    if (auto read = read_fields(fields, header); !read) {
      warnings.push_back(damaged(sections, header.offset, read.error().message));
    } else if (header.abbrev_offset >= sections.abbrev.size()) {
      warnings.push_back(
          damaged(sections, header.offset,
                  fmt::format("its abbreviations are at {:#x} of .debug_abbrev, which has {:#x} "
                              "bytes",
                              header.abbrev_offset, sections.abbrev.size())));
    } else {
      headers.push_back(header);
    }
  }
  return headers;
}

}  // namespace gprof::dwarf
