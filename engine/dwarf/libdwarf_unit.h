// One unit under a libdwarf handle of its own, to read what the unit's own entry says.
//
// libdwarf gets a view of the object with only this unit in .debug_info, plus the shared sections.
// So a damaged unit does not stop the next one from being read, finding a unit costs nothing, and
// several threads can read units at once.
//
// Ownership: owns the handle and what is allocated under it; borrows the bytes of `sections`.
// Thread contract: one thread at a time. Errors: corrupt, with libdwarf's own message.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include <libdwarf.h>

#include "engine/dwarf/die_reader.h"
#include "engine/dwarf/dwarf_sections.h"
#include "engine/dwarf/unit_headers.h"

namespace gprof::dwarf {

struct UnitEntry {
  std::uint16_t tag = 0;
  // Without those that libdwarf gives no number or text for, such as blocks.
  std::vector<EntryAttribute> attributes;
};

class LibdwarfUnit {
 public:
  static Expected<LibdwarfUnit> open(const DwarfSections& sections, const UnitHeader& header);
  LibdwarfUnit(LibdwarfUnit&&) noexcept;
  LibdwarfUnit& operator=(LibdwarfUnit&&) = delete;
  LibdwarfUnit(const LibdwarfUnit&) = delete;
  LibdwarfUnit& operator=(const LibdwarfUnit&) = delete;
  ~LibdwarfUnit();

  [[nodiscard]] Dwarf_Debug debug() const { return debug_; }
  [[nodiscard]] Dwarf_Die unit_die() const { return unit_die_; }
  // `die` is one of this unit's. Texts are views of the sections' bytes.
  [[nodiscard]] Expected<UnitEntry> read_entry(Dwarf_Die die) const;

 private:
  struct ObjectAccess;
  explicit LibdwarfUnit(std::unique_ptr<ObjectAccess> access);
  Expected<void> read_unit_die();
  template <typename Value, typename Read>
  std::optional<Value> value_of(Read read, Dwarf_Attribute attribute) const;
  [[nodiscard]] std::optional<std::uint64_t> number(std::uint16_t form, Dwarf_Attribute attribute,
                                                    Dwarf_Die die) const;
  [[nodiscard]] std::optional<std::uint64_t> section_offset(Dwarf_Attribute attribute,
                                                            Dwarf_Die die) const;
  // Converts and frees libdwarf's error.
  [[nodiscard]] Error take_error(Dwarf_Error error, std::string_view doing) const;

  std::unique_ptr<ObjectAccess> access_;
  Dwarf_Debug debug_ = nullptr;
  Dwarf_Die unit_die_ = nullptr;
};

}  // namespace gprof::dwarf
