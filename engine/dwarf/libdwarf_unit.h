// One unit under a libdwarf handle of its own.
//
// libdwarf gets a view of the object with only this unit in .debug_info, plus the shared sections.
// So a damaged unit does not stop the next one from being read, finding a unit costs nothing, and
// several threads can read units at once. What libdwarf reads slowly or not at all (range lists,
// address and string tables, split units) is read separately, from the same bytes.
//
// Units: DIE offsets are in the whole .debug_info. Ownership: owns the handle and what is allocated
// under it; borrows the bytes of `sections`. Thread contract: one thread at a time.
// Errors: corrupt, with libdwarf's own message.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include <libdwarf.h>

#include "engine/dwarf/dwarf_sections.h"
#include "engine/dwarf/unit_headers.h"

namespace gprof::dwarf {

// A DIE, freed with its owner. It must not outlive its LibdwarfUnit.
class Die {
 public:
  Die() = default;
  explicit Die(Dwarf_Die die) : die_(die) {}
  Die(Die&& other) noexcept : die_(std::exchange(other.die_, nullptr)) {}
  Die& operator=(Die&& other) noexcept;
  Die(const Die&) = delete;
  Die& operator=(const Die&) = delete;
  ~Die() { reset(); }

  [[nodiscard]] Dwarf_Die get() const { return die_; }
  explicit operator bool() const { return die_ != nullptr; }

 private:
  void reset();
  Dwarf_Die die_ = nullptr;
};

// The attributes of one DIE, freed together.
class AttributeList {
 public:
  AttributeList(Dwarf_Debug debug, Dwarf_Attribute* attributes, Dwarf_Signed count)
      : debug_(debug), attributes_(attributes), count_(count) {}
  AttributeList(AttributeList&& other) noexcept;
  AttributeList& operator=(AttributeList&&) = delete;
  AttributeList(const AttributeList&) = delete;
  AttributeList& operator=(const AttributeList&) = delete;
  ~AttributeList();

  [[nodiscard]] Dwarf_Attribute* begin() const { return attributes_; }
  [[nodiscard]] Dwarf_Attribute* end() const { return attributes_ + count_; }

 private:
  Dwarf_Debug debug_;
  Dwarf_Attribute* attributes_;
  Dwarf_Signed count_;
};

class LibdwarfUnit {
 public:
  static Expected<LibdwarfUnit> open(const DwarfSections& sections, const UnitHeader& header);
  LibdwarfUnit(LibdwarfUnit&&) noexcept;
  LibdwarfUnit& operator=(LibdwarfUnit&&) = delete;
  LibdwarfUnit(const LibdwarfUnit&) = delete;
  LibdwarfUnit& operator=(const LibdwarfUnit&) = delete;
  ~LibdwarfUnit();

  [[nodiscard]] const Die& unit_die() const { return unit_die_; }
  [[nodiscard]] const UnitHeader& header() const;

  // No DIE if there is no child or no further sibling.
  [[nodiscard]] Expected<Die> first_child(const Die& die) const;
  [[nodiscard]] Expected<Die> next_sibling(const Die& die) const;
  [[nodiscard]] Expected<std::uint64_t> offset(const Die& die) const;
  [[nodiscard]] Expected<Dwarf_Half> tag(const Die& die) const;
  [[nodiscard]] Expected<AttributeList> attributes(const Die& die) const;
  // The value of an attribute whose form is an offset into another section (DW_FORM_strp).
  [[nodiscard]] std::optional<std::uint64_t> section_offset(Dwarf_Attribute attribute) const;

  [[nodiscard]] Dwarf_Debug debug() const { return debug_; }
  // Converts and frees libdwarf's error.
  [[nodiscard]] Error take_error(Dwarf_Error error, std::string_view doing) const;

 private:
  struct ObjectAccess;
  explicit LibdwarfUnit(std::unique_ptr<ObjectAccess> access);
  Expected<void> read_unit_die();

  std::unique_ptr<ObjectAccess> access_;
  Dwarf_Debug debug_ = nullptr;
  Die unit_die_;
};

}  // namespace gprof::dwarf
