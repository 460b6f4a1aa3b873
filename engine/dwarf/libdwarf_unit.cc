#include "engine/dwarf/libdwarf_unit.h"

#include <vector>

#include <dwarf.h>
#include <fmt/format.h>

namespace gprof::dwarf {

Die& Die::operator=(Die&& other) noexcept {
  if (this != &other) {
    reset();
    die_ = std::exchange(other.die_, nullptr);
  }
  return *this;
}

void Die::reset() {
  if (die_ != nullptr) dwarf_dealloc_die(die_);
  die_ = nullptr;
}

AttributeList::AttributeList(AttributeList&& other) noexcept
    : debug_(other.debug_),
      attributes_(std::exchange(other.attributes_, nullptr)),
      count_(std::exchange(other.count_, 0)) {}

AttributeList::~AttributeList() {
  if (attributes_ == nullptr) return;
  for (Dwarf_Attribute attribute : *this) dwarf_dealloc_attribute(attribute);
  dwarf_dealloc(debug_, attributes_, DW_DLA_LIST);
}

// Answers what libdwarf asks about the object, from the bytes at hand.
struct LibdwarfUnit::ObjectAccess {
  struct PresentedSection {
    const char* name;
    Bytes bytes;
  };
  static constexpr std::size_t unit_section = 1;  // .debug_info

  ObjectAccess(const DwarfSections& sections, const UnitHeader& unit_header,
               std::vector<PresentedSection> all);
  ObjectAccess(const ObjectAccess&) = delete;
  ObjectAccess& operator=(const ObjectAccess&) = delete;

  static ObjectAccess& of(void* object) { return *static_cast<ObjectAccess*>(object); }
  static int section_info(void* object, Dwarf_Half index, Dwarf_Obj_Access_Section* result,
                          int* error);
  static int load_section(void* object, Dwarf_Half index, Dwarf_Small** data, int* error);

  UnitHeader header;
  ByteOrder order;
  std::string path;
  std::vector<PresentedSection> presented;
  Dwarf_Obj_Access_Methods methods{};
  Dwarf_Obj_Access_Interface interface {};
};

LibdwarfUnit::ObjectAccess::ObjectAccess(const DwarfSections& sections,
                                         const UnitHeader& unit_header,
                                         std::vector<PresentedSection> all)
    : header(unit_header), order(sections.order), path(sections.path), presented(std::move(all)) {
  methods.get_section_info = section_info;
  methods.get_byte_order = [](void* object) {
    return of(object).order == ByteOrder::little ? DW_OBJECT_LSB : DW_OBJECT_MSB;
  };
  methods.get_length_size = [](void* object) { return Dwarf_Small{of(object).header.offset_size}; };
  methods.get_pointer_size = [](void* object) {
    return Dwarf_Small{of(object).header.address_size};
  };
  methods.get_section_count = [](void* object) {
    return static_cast<Dwarf_Unsigned>(of(object).presented.size());
  };
  methods.load_section = load_section;
  interface.object = this;
  interface.methods = &methods;
}

int LibdwarfUnit::ObjectAccess::section_info(void* object, Dwarf_Half index,
                                             Dwarf_Obj_Access_Section* result, int* /*error*/) {
  const auto& sections = of(object).presented;
  if (index >= sections.size()) return DW_DLV_NO_ENTRY;
  *result = {};
  result->name = sections[index].name;
  result->size = sections[index].bytes.size();
  result->type = 1;  // SHT_PROGBITS
  return DW_DLV_OK;
}

int LibdwarfUnit::ObjectAccess::load_section(void* object, Dwarf_Half index, Dwarf_Small** data,
                                             int* /*error*/) {
  const auto& sections = of(object).presented;
  if (index >= sections.size() || sections[index].bytes.empty()) return DW_DLV_NO_ENTRY;
  // libdwarf writes to sections only to apply relocations, and gets none.
  auto* bytes = const_cast<std::byte*>(sections[index].bytes.data());
  *data = reinterpret_cast<Dwarf_Small*>(bytes);
  return DW_DLV_OK;
}

LibdwarfUnit::LibdwarfUnit(std::unique_ptr<ObjectAccess> access) : access_(std::move(access)) {}

LibdwarfUnit::LibdwarfUnit(LibdwarfUnit&& other) noexcept
    : access_(std::move(other.access_)),
      debug_(std::exchange(other.debug_, nullptr)),
      unit_die_(std::move(other.unit_die_)) {}

LibdwarfUnit::~LibdwarfUnit() {
  unit_die_ = Die();
  if (debug_ == nullptr) return;
  Dwarf_Error error = nullptr;
  if (dwarf_object_finish(debug_, &error) == DW_DLV_ERROR && error != nullptr) {
    dwarf_dealloc_error(nullptr, error);
  }
}

const UnitHeader& LibdwarfUnit::header() const { return access_->header; }

Error LibdwarfUnit::take_error(Dwarf_Error error, std::string_view doing) const {
  std::string words = "no reason given";
  if (error != nullptr) {
    words = dwarf_errmsg(error);
    dwarf_dealloc_error(debug_, error);
  }
  return Error{ErrorCode::corrupt,
               fmt::format("{} of the unit at {:#x} of .debug_info cannot be read: {}", doing,
                           access_->header.offset, words),
               access_->path,
               {}};
}

std::optional<std::uint64_t> LibdwarfUnit::section_offset(Dwarf_Attribute attribute) const {
  Dwarf_Off place = 0;
  Dwarf_Error error = nullptr;
  if (dwarf_attr_offset(unit_die_.get(), attribute, &place, &error) != DW_DLV_OK) {
    if (error != nullptr) dwarf_dealloc_error(debug_, error);
    return std::nullopt;
  }
  const Bytes unit = access_->presented[ObjectAccess::unit_section].bytes;
  if (place > unit.size()) return std::nullopt;
  ByteReader reader(unit.subspan(place), access_->order, access_->path);
  const auto offset = read_section_offset(reader, access_->header.offset_size, "an offset");
  return offset ? std::optional(*offset) : std::nullopt;
}

Expected<LibdwarfUnit> LibdwarfUnit::open(const DwarfSections& sections, const UnitHeader& header) {
  TRY_ASSIGN(const auto bytes, sections.unit_bytes(header.offset, header.end));
  // Index 0 is the null section, as in ELF. Names are the plain ones for split units too: what
  // differs for them, line tables and what lies in .debug_str are read outside of libdwarf.
  std::vector<ObjectAccess::PresentedSection> presented = {{"", {}},
                                                           {".debug_info", bytes},
                                                           {".debug_abbrev", sections.abbrev},
                                                           {".debug_addr", sections.addr},
                                                           {".debug_line_str", sections.line_str}};
  LibdwarfUnit unit(std::make_unique<ObjectAccess>(sections, header, std::move(presented)));
  Dwarf_Error error = nullptr;
  const int opened = dwarf_object_init_b(&unit.access_->interface, nullptr, nullptr,
                                         DW_GROUPNUMBER_ANY, &unit.debug_, &error);
  if (opened != DW_DLV_OK) {
    unit.debug_ = nullptr;
    return unit.take_error(error, "the sections");
  }
  TRY(unit.read_unit_die());
  return unit;
}

Expected<void> LibdwarfUnit::read_unit_die() {
  Dwarf_Unsigned unused_wide = 0;
  Dwarf_Unsigned next_header = 0;
  Dwarf_Off abbrev_offset = 0;
  Dwarf_Half version = 0;
  Dwarf_Half unused_half = 0;
  Dwarf_Half unit_type = 0;
  Dwarf_Sig8 signature{};
  Dwarf_Error error = nullptr;
  const int read = dwarf_next_cu_header_d(debug_, true, &unused_wide, &version, &abbrev_offset,
                                          &unused_half, &unused_half, &unused_half, &signature,
                                          &unused_wide, &next_header, &unit_type, &error);
  if (read != DW_DLV_OK) return take_error(error, "the header");
  Dwarf_Die die = nullptr;
  if (dwarf_siblingof_b(debug_, nullptr, true, &die, &error) != DW_DLV_OK) {
    return take_error(error, "the unit entry");
  }
  unit_die_ = Die(die);
  return {};
}

Expected<Die> LibdwarfUnit::first_child(const Die& die) const {
  Dwarf_Die child = nullptr;
  Dwarf_Error error = nullptr;
  switch (dwarf_child(die.get(), &child, &error)) {
    case DW_DLV_OK:
      return Die(child);
    case DW_DLV_NO_ENTRY:
      return Die();
    default:
      return take_error(error, "an entry");
  }
}

Expected<Die> LibdwarfUnit::next_sibling(const Die& die) const {
  Dwarf_Die sibling = nullptr;
  Dwarf_Error error = nullptr;
  switch (dwarf_siblingof_b(debug_, die.get(), true, &sibling, &error)) {
    case DW_DLV_OK:
      return Die(sibling);
    case DW_DLV_NO_ENTRY:
      return Die();
    default:
      return take_error(error, "an entry");
  }
}

Expected<std::uint64_t> LibdwarfUnit::offset(const Die& die) const {
  Dwarf_Off offset = 0;
  Dwarf_Error error = nullptr;
  if (dwarf_dieoffset(die.get(), &offset, &error) != DW_DLV_OK) {
    return take_error(error, "an entry's offset");
  }
  return access_->header.offset + offset;
}

Expected<Dwarf_Half> LibdwarfUnit::tag(const Die& die) const {
  Dwarf_Half tag = 0;
  Dwarf_Error error = nullptr;
  if (dwarf_tag(die.get(), &tag, &error) != DW_DLV_OK) return take_error(error, "an entry's tag");
  return tag;
}

Expected<AttributeList> LibdwarfUnit::attributes(const Die& die) const {
  Dwarf_Attribute* list = nullptr;
  Dwarf_Signed count = 0;
  Dwarf_Error error = nullptr;
  switch (dwarf_attrlist(die.get(), &list, &count, &error)) {
    case DW_DLV_OK:
      return AttributeList(debug_, list, count);
    case DW_DLV_NO_ENTRY:
      return AttributeList(debug_, nullptr, 0);
    default:
      return take_error(error, "an entry's attributes");
  }
}

}  // namespace gprof::dwarf
