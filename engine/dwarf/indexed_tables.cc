#include "engine/dwarf/indexed_tables.h"

#include <dwarf.h>

namespace gprof::dwarf {
namespace {

std::uint64_t table_header_size(const UnitHeader& header) {
  if (header.version < 5) return 0;
  return header.offset_size == 8 ? 16 : 8;
}

// Past the end if the index is too large, so that reader_at() refuses it.
std::uint64_t entry_offset(Bytes table, std::uint64_t base, std::uint64_t index,
                           std::uint64_t entry_size) {
  if (index > table.size() || base > table.size()) return table.size() + 1;
  return base + index * entry_size;
}

}  // namespace

bool is_string_index(std::uint16_t form) {
  return form == DW_FORM_strx || (form >= DW_FORM_strx1 && form <= DW_FORM_strx4) ||
         form == DW_FORM_GNU_str_index;
}

bool is_address_index(std::uint16_t form) {
  return form == DW_FORM_addrx || (form >= DW_FORM_addrx1 && form <= DW_FORM_addrx4) ||
         form == DW_FORM_GNU_addr_index;
}

PointerWidth address_width(const UnitHeader& header) {
  return header.address_size == 4 ? PointerWidth::four : PointerWidth::eight;
}

std::optional<Address> address_at_index(const DwarfSections& sections, const UnitHeader& header,
                                        const UnitBases& bases, std::uint64_t index) {
  const std::uint64_t base = bases.addresses.value_or(table_header_size(header));
  auto reader =
      reader_at(sections.addr, entry_offset(sections.addr, base, index, header.address_size),
                sections, ".debug_addr");
  if (!reader) return std::nullopt;
  const auto address = reader->read_address(address_width(header), "address");
  if (!address) return std::nullopt;
  return *address;
}

std::optional<std::string_view> string_at_index(const DwarfSections& sections,
                                                const UnitHeader& header, const UnitBases& bases,
                                                std::uint64_t index) {
  const std::uint64_t base = bases.string_offsets.value_or(table_header_size(header));
  const std::uint64_t entry = entry_offset(sections.str_offsets, base, index, header.offset_size);
  auto reader = reader_at(sections.str_offsets, entry, sections, ".debug_str_offsets");
  if (!reader) return std::nullopt;
  const auto offset = read_section_offset(*reader, header.offset_size, "string offset");
  if (!offset) return std::nullopt;
  const auto text = sections.text_at(*offset);
  if (!text) return std::nullopt;
  return *text;
}

}  // namespace gprof::dwarf
