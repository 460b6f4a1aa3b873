#include "engine/dwarf/package_index.h"

#include <utility>

#include <dwarf.h>
#include <fmt/format.h>

namespace gprof::dwarf {
namespace {

struct IndexHeader {
  std::uint32_t version = 0;
  std::uint32_t columns = 0;
  std::uint32_t units = 0;
  std::uint32_t slots = 0;
};

constexpr std::uint64_t header_size = 16;
constexpr std::uint32_t gnu_version = 2;

Error damaged(const DwarfSections& package, std::string_view what) {
  return Error{
      ErrorCode::corrupt, fmt::format(".debug_cu_index is unusable: {}", what), package.path, {}};
}

Expected<IndexHeader> read_header(const DwarfSections& package, Bytes index) {
  ByteReader reader(index, package.order, package.path);
  IndexHeader header;
  for (std::uint32_t* field : {&header.version, &header.columns, &header.units, &header.slots}) {
    auto value = reader.read_u32(".debug_cu_index");
    if (!value) return damaged(package, value.error().message);
    *field = *value;
  }
  // DWARF 5 has a two-byte version and two bytes of padding.
  const std::uint32_t version5 = package.order == ByteOrder::little ? 5 : 5u << 16;
  if (header.version == version5) header.version = 5;
  if (header.version != gnu_version && header.version != 5) {
    return damaged(package, fmt::format("version {}, expected 2 or 5", header.version));
  }
  const std::uint64_t slots_size = std::uint64_t{header.slots} * 12;
  const std::uint64_t row_size = std::uint64_t{header.columns} * 4;
  const std::uint64_t rows = 1 + 2 * std::uint64_t{header.units};
  const bool fits = header.columns <= 16 && slots_size <= reader.remaining() &&
                    rows * row_size <= reader.remaining() - slots_size;
  if (!fits || (header.slots & (header.slots - 1)) != 0) {
    return damaged(package, fmt::format("{} columns, {} units and {} slots in {} bytes",
                                        header.columns, header.units, header.slots, index.size()));
  }
  return header;
}

// The row of the unit, from 1; 0 if the package does not have it. DWARF's own hash scheme.
Expected<std::uint32_t> find_row(const DwarfSections& package, Bytes index,
                                 const IndexHeader& header, std::uint64_t split_id) {
  const std::uint64_t mask = header.slots - 1;
  const std::uint64_t step = ((split_id >> 32) & mask) | 1;
  std::uint64_t slot = split_id & mask;
  for (std::uint32_t tried = 0; tried < header.slots; ++tried, slot = (slot + step) & mask) {
    auto ids = reader_at(index, header_size + slot * 8, package, ".debug_cu_index");
    auto rows = reader_at(index, header_size + std::uint64_t{header.slots} * 8 + slot * 4, package,
                          ".debug_cu_index");
    if (!ids || !rows) return damaged(package, "its hash table is cut off");
    const auto id = ids->read_u64("unit id");
    const auto row = rows->read_u32("unit row");
    if (!id || !row) return damaged(package, "its hash table is cut off");
    if (*row == 0) return std::uint32_t{0};
    if (*id == split_id) return *row;
  }
  return std::uint32_t{0};
}

// The section for a column; null for those not needed.
Bytes* section_of(DwarfSections& sections, std::uint32_t version, std::uint32_t column) {
  switch (column) {
    case DW_SECT_INFO:
      return &sections.info;
    case DW_SECT_ABBREV:
      return &sections.abbrev;
    case DW_SECT_LINE:
      return &sections.line;
    case DW_SECT_STR_OFFSETS:
      return &sections.str_offsets;
    case DW_SECT_RNGLISTS:
      return version == 5 ? &sections.rnglists : nullptr;
    default:
      return nullptr;
  }
}

}  // namespace

Expected<DwarfSections> package_share(const DwarfSections& package, Bytes index,
                                      std::uint64_t split_id) {
  TRY_ASSIGN(auto header, read_header(package, index));
  TRY_ASSIGN(auto row, find_row(package, index, header, split_id));
  if (row == 0 || row > header.units) {
    return Error{ErrorCode::not_found,
                 fmt::format("the package has no unit with the id {:#018x}", split_id),
                 package.path,
                 {}};
  }
  const std::uint64_t names = header_size + std::uint64_t{header.slots} * 12;
  const std::uint64_t row_size = std::uint64_t{header.columns} * 4;
  const std::uint64_t offsets = names + row * row_size;
  const std::uint64_t sizes = offsets + header.units * row_size;
  const auto field = [&](std::uint64_t at) {
    auto reader = reader_at(index, at, package, ".debug_cu_index");
    const auto value = reader ? reader->read_u32("table entry") : Expected<std::uint32_t>(0u);
    return value ? *value : 0u;
  };
  DwarfSections share = package;
  for (std::uint64_t column = 0; column < header.columns; ++column) {
    Bytes* section = section_of(share, header.version, field(names + column * 4));
    if (section == nullptr) continue;
    const std::uint64_t offset = field(offsets + column * 4);
    const std::uint64_t size = field(sizes + column * 4);
    if (offset > section->size() || size > section->size() - offset) {
      return damaged(package, fmt::format("a share of {} bytes at {:#x} of a section with {} bytes",
                                          size, offset, section->size()));
    }
    *section = section->subspan(offset, size);
  }
  return share;
}

}  // namespace gprof::dwarf
