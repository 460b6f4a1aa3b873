// The entries of a unit that make up functions: functions, inlined calls and the scopes that name
// them, in the order of .debug_info (parents before children).
//
// Units: link-time addresses; offsets in the whole .debug_info. Ownership: names are views of the
// sections' bytes, which the tree keeps alive. Thread contract: immutable once read.
// Errors: corrupt; unsupported for more than most_entries(). Nesting and total size are bounded by
// what the unit's bytes can hold.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "engine/dwarf/code_filter.h"
#include "engine/dwarf/debug_information.h"
#include "engine/dwarf/form_values.h"

namespace gprof::dwarf {

struct UnitRecord;

enum class DieKind : std::uint8_t { name_space, module, class_type, subprogram, inlined_call };

inline constexpr std::uint32_t no_node = ~std::uint32_t{0};

// A place as DIEs write it: the file by its number in the unit's line table.
struct RawLocation {
  std::optional<std::uint32_t> file;
  LineNumber line = 0;
  std::uint32_t column = 0;
};

struct DieNode {
  std::uint64_t offset = 0;
  std::uint32_t parent = no_node;  // the closest node around it
  DieKind kind = DieKind::subprogram;
  std::optional<std::uint64_t> origin;  // DW_AT_abstract_origin, else DW_AT_specification
  bool origin_is_abstract = false;
  std::string_view name;
  std::string_view linkage_name;
  RawLocation place;              // of the declaration or, for an inlined call, of the call
  std::uint32_t first_range = 0;  // in DieTree::ranges
  std::uint32_t range_count = 0;
  bool has_indexed_ranges = false;  // DW_FORM_rnglistx
  std::optional<Address> entry;
};

struct DieTree {
  std::uint64_t first_offset = 0;  // of the unit's header
  std::uint64_t end_offset = 0;
  Language language = Language::unknown;
  bool is_split = false;               // the offsets are those of a split file
  const UnitRecord* record = nullptr;  // of the unit, or of the skeleton of a split one
  std::vector<DieNode> nodes;          // ascending offsets
  std::vector<AddressRange> ranges;
  std::vector<std::shared_ptr<const Image>> owners;

  // The node of the DIE at that offset, or no_node.
  [[nodiscard]] std::uint32_t find(std::uint64_t offset) const;
  [[nodiscard]] std::span<const AddressRange> ranges_of(const DieNode& node) const;
};

// The tree of the unit whose attributes `values` reads. Leaves out ranges that `code` rejects. The
// caller fills in `is_split` and `record`.
[[nodiscard]] Expected<DieTree> read_die_tree(FormValues& values, const CodeFilter& code,
                                              Language language);

}  // namespace gprof::dwarf
