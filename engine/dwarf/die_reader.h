// The entries (DIEs) of a unit in order: parents before their children.
//
// Cost: one step per entry; skipping an entry skips its attributes, and its children too if
// DW_AT_sibling says where they end.
// Units: offsets in the whole .debug_info. Ownership: borrows the sections.
// Thread contract: one thread. Errors: corrupt, naming the entry; unsupported for more than
// most_entries().
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "engine/dwarf/abbreviations.h"
#include "engine/dwarf/byte_cursor.h"
#include "engine/dwarf/dwarf_sections.h"
#include "engine/dwarf/unit_headers.h"
#include "engine/support/expected.h"

namespace gprof::dwarf {

struct EntryAttribute {
  std::uint16_t name = 0;  // DW_AT_*
  std::uint16_t form = 0;  // DW_FORM_*, never DW_FORM_indirect
  // The stored value: a number (negative ones in two's complement), an address, an offset or an
  // index; 0 for blocks and 16-byte numbers.
  std::uint64_t value = 0;
  std::string_view text;  // of DW_FORM_string
};

// The entry that the attribute refers to, in this unit or another; none if it is no reference, or
// refers to a type unit or another file.
[[nodiscard]] std::optional<std::uint64_t> reference(const EntryAttribute& attribute,
                                                     const UnitHeader& header);

class DieReader {
 public:
  DieReader(const DwarfSections& sections, const UnitHeader& header);

  [[nodiscard]] const UnitHeader& header() const { return header_; }

  // Moves to the next entry; the first one is the unit's own. False after the last one, and if the
  // entries are damaged.
  [[nodiscard]] bool next();
  // Makes next() move to this entry's sibling, or to what follows its parent.
  void pass_over_children() { passing_below_ = depth_; }
  [[nodiscard]] const std::optional<Error>& damage() const { return damage_; }
  [[nodiscard]] std::uint64_t abbreviation_bytes() const { return abbreviations_.bytes_read(); }
  // Entries read so far.
  [[nodiscard]] std::uint64_t count() const { return count_; }

  // The current entry's.
  [[nodiscard]] std::uint64_t offset() const { return offset_; }
  [[nodiscard]] std::uint16_t tag() const { return abbreviation_.tag; }
  [[nodiscard]] std::size_t depth() const { return depth_; }  // the unit's own entry: 0
  // Call at most once per entry; valid until next(). Empty if they are damaged.
  [[nodiscard]] std::span<const EntryAttribute> attributes();

 private:
  bool enter(std::uint64_t code);
  bool leave_entry();
  bool pass_attributes();
  bool read_value(EntryAttribute& attribute, std::int64_t implicit_value);
  bool read_number(EntryAttribute& attribute, std::int64_t implicit_value);
  void set_sibling(const EntryAttribute& attribute);
  bool fail(std::string_view what);

  static constexpr std::size_t no_depth = ~std::size_t{0};

  const DwarfSections& sections_;
  UnitHeader header_;
  ByteCursor cursor_;  // over the unit, from its header on
  Abbreviations abbreviations_;
  Abbreviation abbreviation_;
  std::uint64_t offset_ = 0;
  std::uint64_t count_ = 0;
  std::size_t depth_ = 0;
  std::size_t next_depth_ = 0;
  std::size_t passing_below_ = no_depth;
  std::optional<std::uint64_t> sibling_;  // its position in the unit
  bool attributes_ahead_ = false;
  bool started_ = false;
  std::vector<EntryAttribute> attributes_;
  std::optional<Error> damage_;
};

}  // namespace gprof::dwarf
