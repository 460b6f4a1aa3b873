#include "engine/dwarf/range_lists.h"

#include <limits>
#include <optional>
#include <utility>

#include <dwarf.h>
#include <fmt/format.h>

namespace gprof::dwarf {

// An end is absent if its index or base is unknown.
struct RangeLists::Ends {
  std::optional<Address> low;
  std::optional<Address> high;
};

std::uint64_t RangeLists::wrapped(std::uint64_t address) const {
  return header_.address_size == 4 ? address & 0xFFFFFFFFu : address;
}

Expected<void> RangeLists::count_entry(std::uint64_t section_size) {
  // One or few entries refer to a list; each entry in a list takes at least one byte.
  if (++entries_read_ <= section_size) return {};
  return Error{ErrorCode::corrupt,
               fmt::format("the entries of the unit at {:#x} of .debug_info name more address "
                           "ranges than the sections hold",
                           header_.offset),
               sections_.path,
               {}};
}

Expected<std::vector<AddressRange>> RangeLists::at_offset(std::uint64_t offset,
                                                          const UnitBases& bases) {
  return header_.version < 5 ? old_list(offset, bases) : new_list(offset, bases);
}

Expected<std::vector<AddressRange>> RangeLists::at_index(std::uint64_t index,
                                                         const UnitBases& bases) {
  // The table of offsets follows a header four bytes longer than those of other tables.
  const std::uint64_t base = bases.range_lists.value_or(header_.offset_size == 8 ? 20 : 12);
  const std::uint64_t size = sections_.rnglists.size();
  const bool absurd = index > size || base > size;
  TRY_ASSIGN(auto reader,
             reader_at(sections_.rnglists, absurd ? size + 1 : base + index * header_.offset_size,
                       sections_, ".debug_rnglists"));
  TRY_ASSIGN(auto offset,
             read_section_offset(reader, header_.offset_size, "offset of a range list"));
  return new_list(base + offset, bases);
}

Expected<std::vector<AddressRange>> RangeLists::old_list(std::uint64_t offset,
                                                         const UnitBases& bases) {
  TRY_ASSIGN(auto reader, reader_at(sections_.ranges, offset, sections_, ".debug_ranges"));
  std::vector<AddressRange> found;
  std::uint64_t base = bases.low_pc.value;
  const std::uint64_t base_selection = wrapped(std::numeric_limits<std::uint64_t>::max());
  while (true) {
    TRY(count_entry(sections_.ranges.size()));
    TRY_ASSIGN(auto low, reader.read_word(address_width(header_), "start of a range"));
    TRY_ASSIGN(auto high, reader.read_word(address_width(header_), "end of a range"));
    if (low == 0 && high == 0) return found;
    if (low == base_selection) {
      base = high;
    } else if (low < high) {
      found.push_back({{wrapped(base + low)}, {wrapped(base + high)}});
    }
  }
}

Expected<RangeLists::Ends> RangeLists::read_ends(ByteReader& reader, std::uint8_t kind,
                                                 const UnitBases& bases,
                                                 std::optional<Address> base) const {
  enum class Form : std::uint8_t { direct, indexed, from_base, from_low };
  const auto read = [&](Form form,
                        std::optional<Address> start) -> Expected<std::optional<Address>> {
    if (form == Form::direct) {
      TRY_ASSIGN(auto address, reader.read_address(address_width(header_), "address of a range"));
      return std::optional(address);
    }
    TRY_ASSIGN(auto value, read_uleb128(reader, "operand of a range"));
    if (form == Form::indexed) return address_at_index(sections_, header_, bases, value);
    if (!start) return std::optional<Address>{};
    return std::optional(Address{wrapped(start->value + value)});
  };
  Form low_form = Form::direct;
  Form high_form = Form::from_low;
  switch (kind) {
    case DW_RLE_offset_pair:
      low_form = high_form = Form::from_base;
      break;
    case DW_RLE_startx_endx:
      low_form = high_form = Form::indexed;
      break;
    case DW_RLE_startx_length:
      low_form = Form::indexed;
      break;
    case DW_RLE_start_end:
      high_form = Form::direct;
      break;
    case DW_RLE_start_length:
      break;
    default:
      return reader.error(ErrorCode::corrupt,
                          fmt::format("an unknown kind {:#x} of range in .debug_rnglists", kind));
  }
  TRY_ASSIGN(auto low, read(low_form, base));
  TRY_ASSIGN(auto high, read(high_form, high_form == Form::from_low ? low : base));
  return Ends{low, high};
}

Expected<std::vector<AddressRange>> RangeLists::new_list(std::uint64_t offset,
                                                         const UnitBases& bases) {
  TRY_ASSIGN(auto reader, reader_at(sections_.rnglists, offset, sections_, ".debug_rnglists"));
  std::vector<AddressRange> found;
  std::optional<Address> base = bases.low_pc;
  while (true) {
    TRY(count_entry(sections_.rnglists.size()));
    TRY_ASSIGN(auto kind, reader.read_u8("kind of a range"));
    if (kind == DW_RLE_end_of_list) return found;
    if (kind == DW_RLE_base_addressx) {
      TRY_ASSIGN(auto index, read_uleb128(reader, "index of a base address"));
      base = address_at_index(sections_, header_, bases, index);
    } else if (kind == DW_RLE_base_address) {
      TRY_ASSIGN(auto address, reader.read_address(address_width(header_), "base address"));
      base = address;
    } else {
      TRY_ASSIGN(auto ends, read_ends(reader, kind, bases, base));
      if (ends.low && ends.high && *ends.low < *ends.high) {
        found.push_back({*ends.low, *ends.high});
      }
    }
  }
}

}  // namespace gprof::dwarf
