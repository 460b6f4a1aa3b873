#include "engine/dwarf/abbreviations.h"

#include <limits>

#include <dwarf.h>

namespace gprof::dwarf {

std::optional<std::uint8_t> fixed_size(std::uint16_t form, const UnitHeader& header) {
  switch (form) {
    case DW_FORM_flag_present:
    case DW_FORM_implicit_const:
      return 0;
    case DW_FORM_data1:
    case DW_FORM_ref1:
    case DW_FORM_flag:
    case DW_FORM_strx1:
    case DW_FORM_addrx1:
      return 1;
    case DW_FORM_data2:
    case DW_FORM_ref2:
    case DW_FORM_strx2:
    case DW_FORM_addrx2:
      return 2;
    case DW_FORM_strx3:
    case DW_FORM_addrx3:
      return 3;
    case DW_FORM_data4:
    case DW_FORM_ref4:
    case DW_FORM_ref_sup4:
    case DW_FORM_strx4:
    case DW_FORM_addrx4:
      return 4;
    case DW_FORM_data8:
    case DW_FORM_ref8:
    case DW_FORM_ref_sig8:
    case DW_FORM_ref_sup8:
      return 8;
    case DW_FORM_data16:
      return 16;
    case DW_FORM_addr:
      return header.address_size;
    case DW_FORM_ref_addr:
      // In DWARF 2 it had the size of an address.
      return header.version == 2 ? header.address_size : header.offset_size;
    case DW_FORM_strp:
    case DW_FORM_line_strp:
    case DW_FORM_strp_sup:
    case DW_FORM_sec_offset:
    case DW_FORM_GNU_ref_alt:
    case DW_FORM_GNU_strp_alt:
      return header.offset_size;
    default:
      return std::nullopt;
  }
}

Abbreviations::Abbreviations(const DwarfSections& sections, const UnitHeader& header)
    : header_(header), cursor_(sections.abbrev.subspan(header.abbrev_offset), sections.order) {}

const Abbreviation* Abbreviations::find_slowly(std::uint64_t code) {
  while (true) {
    if (code - 1 < table_.size() && table_[code - 1].code == code) return &table_[code - 1];
    const auto other = others_.find(code);
    if (other != others_.end()) return &table_[other->second];
    if (!read_next()) return nullptr;
  }
}

// False at the end of the table.
bool Abbreviations::read_next() {
  if (finished_) return false;
  finished_ = true;  // unless all goes well
  Abbreviation abbreviation;
  abbreviation.code = cursor_.uleb128();
  const std::uint64_t tag = cursor_.uleb128();
  if (abbreviation.code == 0 || tag > std::numeric_limits<std::uint16_t>::max()) return false;
  abbreviation.tag = static_cast<std::uint16_t>(tag);
  abbreviation.has_children = cursor_.byte() != DW_CHILDREN_no;
  if (!read_attributes(abbreviation)) return false;
  if (abbreviation.code != table_.size() + 1) others_.try_emplace(abbreviation.code, table_.size());
  table_.push_back(abbreviation);
  finished_ = false;
  return true;
}

// False if they are damaged.
bool Abbreviations::read_attributes(Abbreviation& abbreviation) {
  constexpr std::uint64_t most = std::numeric_limits<std::uint16_t>::max();
  abbreviation.first_attribute = static_cast<std::uint32_t>(attributes_.size());
  abbreviation.first_skip = static_cast<std::uint32_t>(skips_.size());
  while (true) {
    const std::uint64_t name = cursor_.uleb128();
    const std::uint64_t form = cursor_.uleb128();
    if (cursor_.ended_early() || name > most || form > most) return false;
    if (name == 0 && form == 0) return true;
    AttributeForm attribute{static_cast<std::uint16_t>(name), static_cast<std::uint16_t>(form)};
    if (form == DW_FORM_implicit_const) attribute.implicit_value = cursor_.sleb128();
    attributes_.push_back(attribute);
    ++abbreviation.attribute_count;
    add_skip(attribute, abbreviation);
  }
}

void Abbreviations::add_skip(const AttributeForm& attribute, Abbreviation& abbreviation) {
  const bool is_sibling = attribute.name == DW_AT_sibling;
  const auto size = fixed_size(attribute.form, header_);
  if (size && !is_sibling) {
    abbreviation.last_bytes += *size;
    return;
  }
  skips_.push_back({abbreviation.last_bytes, attribute.form, is_sibling});
  ++abbreviation.skip_count;
  abbreviation.last_bytes = 0;
}

}  // namespace gprof::dwarf
