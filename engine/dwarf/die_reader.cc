#include "engine/dwarf/die_reader.h"

#include <algorithm>

#include <dwarf.h>
#include <fmt/format.h>

#include "engine/support/limits.h"

namespace gprof::dwarf {
namespace {

// The fields between a unit's start and its first entry (DWARF 5, section 7.5.1).
std::uint64_t first_entry_position(const UnitHeader& header) {
  const std::uint64_t length_size = header.offset_size == 8 ? 12 : 4;
  const std::uint64_t fields = 2 + 1 + std::uint64_t{header.offset_size};
  std::uint64_t position = length_size + fields;
  if (header.version < 5) return position;
  position += 1;  // the kind of unit
  if (header.kind == UnitKind::skeleton || header.kind == UnitKind::split_compile) position += 8;
  if (header.kind == UnitKind::type) position += 8 + std::uint64_t{header.offset_size};
  return position;
}

Error too_many_entries(const DwarfSections& sections, const UnitHeader& header) {
  return Error{
      ErrorCode::unsupported,
      fmt::format("the unit at {:#x} of .debug_info has more than {} entries, which no file "
                  "of {} bytes has: it is left out",
                  header.offset, most_entries(sections.file_size), sections.file_size),
      sections.path,
      {}};
}

}  // namespace

std::optional<std::uint64_t> reference(const EntryAttribute& attribute, const UnitHeader& header) {
  switch (attribute.form) {
    case DW_FORM_ref1:
    case DW_FORM_ref2:
    case DW_FORM_ref4:
    case DW_FORM_ref8:
    case DW_FORM_ref_udata:
      return header.offset + attribute.value;
    case DW_FORM_ref_addr:
      return attribute.value;
    default:
      return std::nullopt;
  }
}

DieReader::DieReader(const DwarfSections& sections, const UnitHeader& header)
    : sections_(sections),
      header_(header),
      cursor_({}, sections.order),
      abbreviations_(sections, header) {
  const auto bytes = sections.unit_bytes(header.offset, header.end);
  if (!bytes) {
    damage_ = bytes.error();
    return;
  }
  cursor_ = ByteCursor(*bytes, sections.order);
  cursor_.move_to(first_entry_position(header));
}

// Nothing after damage is read: the meaning of its bytes is unknown.
bool DieReader::fail(std::string_view what) {
  damage_ = Error{ErrorCode::corrupt,
                  fmt::format("the entry at {:#x} of .debug_info, of the unit at {:#x}, {}",
                              offset_, header_.offset, what),
                  sections_.path,
                  {}};
  return false;
}

bool DieReader::next() {
  while (!damage_) {
    if (!leave_entry()) return false;
    if (cursor_.at_end() || (started_ && next_depth_ == 0)) return false;
    offset_ = header_.offset + cursor_.position();
    const std::uint64_t code = cursor_.uleb128();
    if (code == 0) {
      if (next_depth_ <= 1) return false;
      --next_depth_;
      continue;
    }
    if (++count_ > most_entries(sections_.file_size)) {
      damage_ = too_many_entries(sections_, header_);
      return false;
    }
    if (!enter(code)) return false;
    if (depth_ > passing_below_) continue;
    passing_below_ = no_depth;
    return true;
  }
  return false;
}

bool DieReader::enter(std::uint64_t code) {
  const Abbreviation* abbreviation = abbreviations_.find(code);
  if (abbreviation == nullptr) {
    return fail(fmt::format("has the abbreviation {}, which .debug_abbrev does not hold", code));
  }
  abbreviation_ = *abbreviation;
  attributes_ahead_ = true;
  started_ = true;
  depth_ = next_depth_;
  if (abbreviation_.has_children) ++next_depth_;
  return true;
}

// Skips the rest of the entry.
bool DieReader::leave_entry() {
  if (attributes_ahead_ && !pass_attributes()) return false;
  const bool passes_children = passing_below_ != no_depth && next_depth_ > depth_;
  if (passes_children && sibling_) {
    if (*sibling_ < cursor_.position()) return fail("has a sibling before its own end");
    cursor_.move_to(*sibling_);
    next_depth_ = depth_;
  }
  sibling_.reset();
  return !cursor_.ended_early() || fail("ends behind its unit");
}

bool DieReader::pass_attributes() {
  attributes_ahead_ = false;
  for (const AttributeSkip& skip : abbreviations_.skips(abbreviation_)) {
    cursor_.skip(skip.bytes);
    EntryAttribute attribute{0, skip.form, 0, {}};
    if (!read_value(attribute, 0)) return fail("has an attribute of an unknown form");
    if (skip.is_sibling) set_sibling(attribute);
  }
  cursor_.skip(abbreviation_.last_bytes);
  return true;
}

std::span<const EntryAttribute> DieReader::attributes() {
  attributes_.clear();
  if (!attributes_ahead_) return {};
  attributes_ahead_ = false;
  for (const AttributeForm& written : abbreviations_.attributes(abbreviation_)) {
    EntryAttribute attribute{written.name, written.form, 0, {}};
    if (!read_value(attribute, written.implicit_value)) {
      fail("has an attribute of an unknown form");
      return {};
    }
    if (attribute.name == DW_AT_sibling) set_sibling(attribute);
    attributes_.push_back(attribute);
  }
  if (cursor_.ended_early()) {
    fail("ends behind its unit");
    return {};
  }
  return attributes_;
}

void DieReader::set_sibling(const EntryAttribute& attribute) {
  if (const auto offset = reference(attribute, header_)) {
    // A sibling before the unit is also before the entry.
    sibling_ = *offset - std::min(*offset, header_.offset);
  }
}

bool DieReader::read_value(EntryAttribute& attribute, std::int64_t implicit_value) {
  switch (attribute.form) {
    case DW_FORM_string:
      attribute.text = cursor_.string();
      return true;
    case DW_FORM_block1:
      cursor_.skip(cursor_.byte());
      return true;
    case DW_FORM_block2:
      cursor_.skip(cursor_.fixed(2));
      return true;
    case DW_FORM_block4:
      cursor_.skip(cursor_.fixed(4));
      return true;
    case DW_FORM_block:
    case DW_FORM_exprloc:
      cursor_.skip(cursor_.uleb128());
      return true;
    case DW_FORM_data16:
      cursor_.skip(16);
      return true;
    case DW_FORM_indirect: {
      const std::uint64_t form = cursor_.uleb128();
      // An implicit constant's value is in .debug_abbrev, which has none for this entry.
      if (form > 0xFFFF || form == DW_FORM_indirect || form == DW_FORM_implicit_const) return false;
      attribute.form = static_cast<std::uint16_t>(form);
      return read_value(attribute, implicit_value);
    }
    default:
      return read_number(attribute, implicit_value);
  }
}

bool DieReader::read_number(EntryAttribute& attribute, std::int64_t implicit_value) {
  switch (attribute.form) {
    case DW_FORM_sdata:
      attribute.value = static_cast<std::uint64_t>(cursor_.sleb128());
      return true;
    case DW_FORM_udata:
    case DW_FORM_ref_udata:
    case DW_FORM_strx:
    case DW_FORM_addrx:
    case DW_FORM_loclistx:
    case DW_FORM_rnglistx:
    case DW_FORM_GNU_addr_index:
    case DW_FORM_GNU_str_index:
      attribute.value = cursor_.uleb128();
      return true;
    case DW_FORM_flag_present:
      attribute.value = 1;
      return true;
    case DW_FORM_implicit_const:
      attribute.value = static_cast<std::uint64_t>(implicit_value);
      return true;
    default:
      break;
  }
  const auto size = fixed_size(attribute.form, header_);
  if (size) attribute.value = cursor_.fixed(*size);
  return size.has_value();
}

}  // namespace gprof::dwarf
