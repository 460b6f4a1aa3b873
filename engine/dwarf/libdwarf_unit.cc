#include "engine/dwarf/libdwarf_unit.h"

#include <span>
#include <utility>

#include <dwarf.h>
#include <fmt/format.h>

#include "engine/dwarf/indexed_tables.h"
#include "engine/dwarf/libdwarf_object.h"

namespace gprof::dwarf {

namespace {

// The attributes of one entry, freed together.
struct AttributeList {
  explicit AttributeList(Dwarf_Debug owner) : debug(owner) {}
  AttributeList(const AttributeList&) = delete;
  AttributeList& operator=(const AttributeList&) = delete;
  ~AttributeList() {
    for (Dwarf_Attribute attribute : all()) dwarf_dealloc_attribute(attribute);
    if (first != nullptr) dwarf_dealloc(debug, first, DW_DLA_LIST);
  }
  [[nodiscard]] std::span<Dwarf_Attribute> all() const {
    return {first, static_cast<std::size_t>(count)};
  }

  Dwarf_Debug debug;
  Dwarf_Attribute* first = nullptr;
  Dwarf_Signed count = 0;
};

}  // namespace

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
  static libdwarf_object::ByteOrder byte_order(void* object);
  static Dwarf_Small length_size(void* object) { return of(object).header.offset_size; }
  static Dwarf_Small pointer_size(void* object) { return of(object).header.address_size; }
  static Dwarf_Unsigned file_size(void* object);
  static Dwarf_Unsigned section_count(void* object) { return of(object).presented.size(); }
  static int section_info(void* object, libdwarf_object::SectionIndex index,
                          libdwarf_object::Section* result, int* error);
  static int load_section(void* object, libdwarf_object::SectionIndex index, Dwarf_Small** data,
                          int* error);

  UnitHeader header;
  ByteOrder order;
  std::string path;
  std::vector<PresentedSection> presented;
  libdwarf_object::Methods methods = libdwarf_object::methods_of<ObjectAccess>();
  libdwarf_object::Interface interface { this, &methods };
};

LibdwarfUnit::ObjectAccess::ObjectAccess(const DwarfSections& sections,
                                         const UnitHeader& unit_header,
                                         std::vector<PresentedSection> all)
    : header(unit_header), order(sections.order), path(sections.path), presented(std::move(all)) {}

libdwarf_object::ByteOrder LibdwarfUnit::ObjectAccess::byte_order(void* object) {
  return of(object).order == ByteOrder::little ? libdwarf_object::least_significant_first
                                               : libdwarf_object::most_significant_first;
}

Dwarf_Unsigned LibdwarfUnit::ObjectAccess::file_size(void* object) {
  Dwarf_Unsigned size = 0;
  for (const PresentedSection& section : of(object).presented) size += section.bytes.size();
  return size;
}

int LibdwarfUnit::ObjectAccess::section_info(void* object, libdwarf_object::SectionIndex index,
                                             libdwarf_object::Section* result, int* /*error*/) {
  const auto& sections = of(object).presented;
  if (index >= sections.size()) return DW_DLV_NO_ENTRY;
  *result = libdwarf_object::section(sections[index].name, sections[index].bytes.size());
  return DW_DLV_OK;
}

int LibdwarfUnit::ObjectAccess::load_section(void* object, libdwarf_object::SectionIndex index,
                                             Dwarf_Small** data, int* /*error*/) {
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
      unit_die_(std::exchange(other.unit_die_, nullptr)) {}

LibdwarfUnit::~LibdwarfUnit() {
  if (unit_die_ != nullptr) dwarf_dealloc_die(unit_die_);
  if (debug_ != nullptr) libdwarf_object::finish(debug_);
}

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
  if (dwarf_siblingof_b(debug_, nullptr, true, &unit_die_, &error) != DW_DLV_OK) {
    return take_error(error, "the unit entry");
  }
  return {};
}

// A libdwarf result as a value. Errors only mean that there is none; they are freed.
template <typename Value, typename Read>
std::optional<Value> LibdwarfUnit::value_of(Read read, Dwarf_Attribute attribute) const {
  Value value{};
  Dwarf_Error error = nullptr;
  if (read(attribute, &value, &error) == DW_DLV_OK) return value;
  if (error != nullptr) dwarf_dealloc_error(debug_, error);
  return std::nullopt;
}

// Of a form whose value is an offset into another section. Not by libdwarf, which follows it and
// looks for a string's end without bounds.
std::optional<std::uint64_t> LibdwarfUnit::section_offset(Dwarf_Attribute attribute,
                                                          Dwarf_Die die) const {
  Dwarf_Off place = 0;
  Dwarf_Error error = nullptr;
  if (dwarf_attr_offset(die, attribute, &place, &error) != DW_DLV_OK) {
    if (error != nullptr) dwarf_dealloc_error(debug_, error);
    return std::nullopt;
  }
  const Bytes unit = access_->presented[ObjectAccess::unit_section].bytes;
  if (place > unit.size()) return std::nullopt;
  ByteReader reader(unit.subspan(place), access_->order, access_->path);
  const auto offset = read_section_offset(reader, access_->header.offset_size, "an offset");
  return offset ? std::optional(*offset) : std::nullopt;
}

std::optional<std::uint64_t> LibdwarfUnit::number(std::uint16_t form, Dwarf_Attribute attribute,
                                                  Dwarf_Die die) const {
  if (is_string_index(form)) {
    return value_of<Dwarf_Unsigned>(dwarf_get_debug_str_index, attribute);
  }
  if (is_address_index(form)) {
    return value_of<Dwarf_Unsigned>(dwarf_get_debug_addr_index, attribute);
  }
  switch (form) {
    case DW_FORM_strp:
    case DW_FORM_line_strp:
      return section_offset(attribute, die);
    case DW_FORM_addr:
      return value_of<Dwarf_Addr>(dwarf_formaddr, attribute);
    case DW_FORM_flag:
    case DW_FORM_flag_present:
      return value_of<Dwarf_Bool>(dwarf_formflag, attribute);
    case DW_FORM_ref1:
    case DW_FORM_ref2:
    case DW_FORM_ref4:
    case DW_FORM_ref8:
    case DW_FORM_ref_udata:
      return value_of<Dwarf_Off>(libdwarf_object::reference, attribute);
    case DW_FORM_ref_addr:
    case DW_FORM_sec_offset:
      return value_of<Dwarf_Off>(dwarf_global_formref, attribute);
    case DW_FORM_sdata:
    case DW_FORM_implicit_const:
      return value_of<Dwarf_Signed>(dwarf_formsdata, attribute);
    default:
      return value_of<Dwarf_Unsigned>(dwarf_formudata, attribute);
  }
}

Expected<UnitEntry> LibdwarfUnit::read_entry(Dwarf_Die die) const {
  UnitEntry entry;
  Dwarf_Error error = nullptr;
  if (dwarf_tag(die, &entry.tag, &error) != DW_DLV_OK) return take_error(error, "an entry's tag");
  AttributeList list(debug_);
  if (dwarf_attrlist(die, &list.first, &list.count, &error) == DW_DLV_ERROR) {
    return take_error(error, "an entry's attributes");
  }
  for (Dwarf_Attribute written : list.all()) {
    EntryAttribute attribute;
    if (dwarf_whatattr(written, &attribute.name, &error) != DW_DLV_OK ||
        dwarf_whatform(written, &attribute.form, &error) != DW_DLV_OK) {
      return take_error(error, "an attribute");
    }
    if (attribute.form == DW_FORM_string) {
      const auto text = value_of<char*>(dwarf_formstring, written);
      if (!text) continue;
      attribute.text = *text;
    } else {
      const auto value = number(attribute.form, written, die);
      if (!value) continue;
      attribute.value = *value;
    }
    entry.attributes.push_back(attribute);
  }
  return entry;
}

}  // namespace gprof::dwarf
