// What an entry is in a DieTree, and what its attributes mean, whether libdwarf (die_tree.h) or the
// reader for reports by line (entry_tree.h) reads it.
//
// Thread contract: one thread. Errors: corrupt, if a range list is damaged.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <utility>

#include <dwarf.h>

#include "engine/dwarf/code_filter.h"
#include "engine/dwarf/die_tree.h"

namespace gprof::dwarf {

// Compilers nest a few dozen levels, optimised Rust a hundred.
inline constexpr std::size_t deepest_nesting = 512;

// An entry is a node, transparent (its children belong to its parent), or skipped with everything
// below it.
enum class Treatment : std::uint8_t { node, transparent, skipped };

struct TagMeaning {
  Treatment treatment;
  DieKind kind;
};

[[nodiscard]] TagMeaning meaning_of(std::uint16_t tag, Language language);

// `Values` returns the values of an `Attribute`: UnitValues or FormValues.
template <typename Values, typename Attribute>
class NodeReader {
 public:
  NodeReader(Values& values, const CodeFilter& code, DieTree& tree)
      : values_(values), code_(code), tree_(tree) {}

  // Call for each entry, for each of its attributes, and after the last one.
  void start(DieNode& node);
  void read(std::uint16_t name, Attribute attribute, DieNode& node);
  Expected<void> finish(DieNode& node);

 private:
  void read_place(std::uint16_t name, Attribute attribute, DieNode& node);
  void add_range(AddressRange range, DieNode& node);
  [[nodiscard]] std::uint32_t narrow_number(Attribute attribute) const;

  Values& values_;
  const CodeFilter& code_;
  DieTree& tree_;
  // The attributes that give the node's ranges.
  std::optional<Address> low_pc_;
  std::optional<Attribute> high_pc_;
  std::optional<Attribute> ranges_;
  std::optional<Address> entry_address_;
  std::optional<std::uint64_t> entry_offset_;
};

template <typename Values, typename Attribute>
void NodeReader<Values, Attribute>::start(DieNode& node) {
  node.first_range = static_cast<std::uint32_t>(tree_.ranges.size());
  low_pc_.reset();
  high_pc_.reset();
  ranges_.reset();
  entry_address_.reset();
  entry_offset_.reset();
}

template <typename Values, typename Attribute>
void NodeReader<Values, Attribute>::read(std::uint16_t name, Attribute attribute, DieNode& node) {
  switch (name) {
    case DW_AT_name:
      node.name = values_.string(attribute).value_or(std::string_view());
      break;
    case DW_AT_linkage_name:
    case DW_AT_MIPS_linkage_name:
      node.linkage_name = values_.string(attribute).value_or(std::string_view());
      break;
    case DW_AT_declaration:
      node.is_declaration = values_.flag(attribute);
      break;
    case DW_AT_abstract_origin:
      node.origin = values_.reference(attribute);
      node.origin_is_abstract = true;
      break;
    case DW_AT_specification:
    case DW_AT_extension:
      if (!node.origin_is_abstract) node.origin = values_.reference(attribute);
      break;
    case DW_AT_low_pc:
      low_pc_ = values_.address(attribute);
      break;
    case DW_AT_high_pc:
      high_pc_ = attribute;
      break;
    case DW_AT_ranges:
      ranges_ = attribute;
      break;
    case DW_AT_entry_pc:
      // Since DWARF 5, it may be an offset from the start of the code.
      entry_address_ = values_.address(attribute);
      if (!entry_address_) entry_offset_ = values_.number(attribute);
      break;
    default:
      read_place(name, attribute, node);
      break;
  }
}

template <typename Values, typename Attribute>
std::uint32_t NodeReader<Values, Attribute>::narrow_number(Attribute attribute) const {
  const std::optional<std::uint64_t> value = values_.number(attribute);
  if (!value || *value > std::numeric_limits<std::uint32_t>::max()) return 0;
  return static_cast<std::uint32_t>(*value);
}

template <typename Values, typename Attribute>
void NodeReader<Values, Attribute>::read_place(std::uint16_t name, Attribute attribute,
                                               DieNode& node) {
  const bool is_call = node.kind == DieKind::inlined_call;
  RawLocation& place = node.place;
  if (name == (is_call ? DW_AT_call_file : DW_AT_decl_file)) {
    place.file = narrow_number(attribute);
  } else if (name == (is_call ? DW_AT_call_line : DW_AT_decl_line)) {
    place.line = narrow_number(attribute);
  } else if (name == (is_call ? DW_AT_call_column : DW_AT_decl_column)) {
    place.column = narrow_number(attribute);
  }
}

template <typename Values, typename Attribute>
void NodeReader<Values, Attribute>::add_range(AddressRange range, DieNode& node) {
  if (range.empty() || !code_.is_code(range.low)) return;
  tree_.ranges.push_back(range);
  ++node.range_count;
}

template <typename Values, typename Attribute>
Expected<void> NodeReader<Values, Attribute>::finish(DieNode& node) {
  if (node.kind != DieKind::subprogram && node.kind != DieKind::inlined_call) return {};
  std::optional<Address> start = low_pc_;
  if (ranges_) {
    node.has_indexed_ranges = values_.form_of(*ranges_) == DW_FORM_rnglistx;
    TRY_ASSIGN(auto ranges, values_.ranges(*ranges_));
    for (const AddressRange& range : ranges) add_range(range, node);
    if (!start && node.range_count > 0) start = tree_.ranges[node.first_range].low;
  } else if (low_pc_ && high_pc_) {
    if (const auto high = values_.high_pc(*high_pc_, *low_pc_)) add_range({*low_pc_, *high}, node);
  }
  if (node.range_count == 0) return {};
  node.entry = entry_address_;
  if (!node.entry && start) node.entry = *start + entry_offset_.value_or(0);
  return {};
}

}  // namespace gprof::dwarf
