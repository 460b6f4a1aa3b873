#include "engine/dwarf/unit_summary.h"

#include <utility>

#include <dwarf.h>

#include "engine/dwarf/libdwarf_unit.h"

namespace gprof::dwarf {
namespace {

// Names that this version of libdwarf lacks: DWARF 5's later language codes, and the code that
// rustc used before it had an official one.
constexpr std::uint64_t language_c_plus_plus_17 = 0x2A;
constexpr std::uint64_t language_c_plus_plus_20 = 0x2B;
constexpr std::uint64_t language_c17 = 0x2C;
constexpr std::uint64_t language_fortran_18 = 0x2D;
constexpr std::uint64_t language_ada_2005 = 0x2E;
constexpr std::uint64_t language_ada_2012 = 0x2F;
constexpr std::uint64_t language_rust_before_dwarf5 = 0x9000;

Language language_of(std::uint64_t code) {
  switch (code) {
    case DW_LANG_C89:
    case DW_LANG_C:
    case DW_LANG_C99:
    case DW_LANG_C11:
    case language_c17:
      return Language::c;
    case DW_LANG_C_plus_plus:
    case DW_LANG_C_plus_plus_03:
    case DW_LANG_C_plus_plus_11:
    case DW_LANG_C_plus_plus_14:
    case language_c_plus_plus_17:
    case language_c_plus_plus_20:
      return Language::cpp;
    case DW_LANG_Fortran77:
    case DW_LANG_Fortran90:
    case DW_LANG_Fortran95:
    case DW_LANG_Fortran03:
    case DW_LANG_Fortran08:
    case language_fortran_18:
      return Language::fortran;
    case DW_LANG_Ada83:
    case DW_LANG_Ada95:
    case language_ada_2005:
    case language_ada_2012:
      return Language::ada;
    case DW_LANG_D:
      return Language::d;
    case DW_LANG_Rust:
    case language_rust_before_dwarf5:
      return Language::rust;
    case DW_LANG_Go:
      return Language::go;
    case DW_LANG_Mips_Assembler:
      return Language::assembler;
    default:
      return Language::unknown;
  }
}

class SummaryReader {
 public:
  SummaryReader(FormValues& values, const CodeFilter& code) : values_(values), code_(code) {}

  // Attributes that others are relative to, which may come after those.
  void read_base(const EntryAttribute& attribute);
  void read_plain(const EntryAttribute& attribute);
  void read_start(const EntryAttribute& attribute);
  Expected<void> read_extent(const EntryAttribute& attribute);

  UnitSummary summary;

 private:
  void set_string(std::string& target, const EntryAttribute& attribute);
  void add_range(AddressRange range);

  FormValues& values_;
  const CodeFilter& code_;
  std::optional<Address> low_pc_;
};

void SummaryReader::read_base(const EntryAttribute& attribute) {
  UnitBases& bases = summary.bases;
  switch (attribute.name) {
    case DW_AT_str_offsets_base:
      bases.string_offsets = values_.number(attribute);
      break;
    case DW_AT_addr_base:
    case DW_AT_GNU_addr_base:
      bases.addresses = values_.number(attribute);
      break;
    case DW_AT_rnglists_base:
      bases.range_lists = values_.number(attribute);
      break;
    case DW_AT_GNU_ranges_base:
      bases.split_ranges = values_.number(attribute).value_or(0);
      break;
    default:
      break;
  }
}

void SummaryReader::set_string(std::string& target, const EntryAttribute& attribute) {
  if (const auto text = values_.string(attribute)) target = *text;
}

void SummaryReader::read_plain(const EntryAttribute& attribute) {
  Unit& unit = summary.unit;
  switch (attribute.name) {
    case DW_AT_name:
      set_string(unit.name, attribute);
      break;
    case DW_AT_comp_dir:
      set_string(unit.compilation_directory, attribute);
      break;
    case DW_AT_producer:
      set_string(unit.producer, attribute);
      break;
    case DW_AT_dwo_name:
    case DW_AT_GNU_dwo_name:
      set_string(unit.split_file, attribute);
      break;
    case DW_AT_GNU_dwo_id:
      summary.split_id = values_.number(attribute);
      break;
    case DW_AT_stmt_list:
      summary.line_offset = values_.number(attribute);
      break;
    case DW_AT_language:
      if (const auto code = values_.number(attribute)) unit.language = language_of(*code);
      break;
    default:
      break;
  }
}

void SummaryReader::read_start(const EntryAttribute& attribute) {
  if (attribute.name != DW_AT_low_pc) return;
  low_pc_ = values_.address(attribute);
  if (low_pc_) summary.bases.low_pc = *low_pc_;
}

void SummaryReader::add_range(AddressRange range) {
  if (!range.empty() && code_.is_code(range.low)) summary.unit.ranges.push_back(range);
}

Expected<void> SummaryReader::read_extent(const EntryAttribute& attribute) {
  if (attribute.name == DW_AT_high_pc && low_pc_) {
    if (const auto high = values_.high_pc(attribute, *low_pc_)) add_range({*low_pc_, *high});
  } else if (attribute.name == DW_AT_ranges) {
    TRY_ASSIGN(auto ranges, values_.ranges(attribute));
    for (const AddressRange& range : ranges) add_range(range);
  }
  return {};
}

}  // namespace

Expected<UnitSummary> read_unit_summary(FormValues& values, const CodeFilter& code,
                                        const UnitBases* inherited) {
  TRY_ASSIGN(const auto unit, LibdwarfUnit::open(values.sections(), values.header()));
  TRY_ASSIGN(const auto entry, unit.read_entry(unit.unit_die()));
  SummaryReader reader(values, code);
  reader.summary.is_partial =
      entry.tag == DW_TAG_partial_unit || values.header().kind == UnitKind::partial;
  reader.summary.split_id = values.header().split_id;
  if (inherited != nullptr) {
    reader.summary.bases.addresses = inherited->addresses;
    reader.summary.bases.split_ranges = inherited->split_ranges;
    reader.summary.bases.low_pc = inherited->low_pc;
  }
  for (const EntryAttribute& attribute : entry.attributes) reader.read_base(attribute);
  values.set_bases(reader.summary.bases);
  for (const EntryAttribute& attribute : entry.attributes) reader.read_plain(attribute);
  for (const EntryAttribute& attribute : entry.attributes) reader.read_start(attribute);
  values.set_bases(reader.summary.bases);
  for (const EntryAttribute& attribute : entry.attributes) {
    TRY(reader.read_extent(attribute));
  }
  return std::move(reader.summary);
}

}  // namespace gprof::dwarf
