#include "engine/dwarf/die_tree.h"

#include <algorithm>
#include <limits>
#include <utility>

#include <dwarf.h>
#include <fmt/format.h>

#include "engine/dwarf/die_reader.h"

namespace gprof::dwarf {
namespace {

// Compilers nest a few dozen levels, optimised Rust a hundred.
constexpr std::size_t deepest_nesting = 512;

// An entry is a node, transparent (its children belong to its parent), or skipped with everything
// below it.
enum class Treatment : std::uint8_t { node, transparent, skipped };

struct TagMeaning {
  Treatment treatment;
  DieKind kind;
};

TagMeaning meaning_of(std::uint16_t tag, Language language) {
  switch (tag) {
    case DW_TAG_subprogram:
      return {Treatment::node, DieKind::subprogram};
    case DW_TAG_inlined_subroutine:
      return {Treatment::node, DieKind::inlined_call};
    case DW_TAG_namespace:
      return {Treatment::node, DieKind::name_space};
    case DW_TAG_module:
      return {Treatment::node, DieKind::module};
    case DW_TAG_class_type:
    case DW_TAG_structure_type:
    case DW_TAG_union_type:
    case DW_TAG_interface_type:
      return {Treatment::node, DieKind::class_type};
    case DW_TAG_enumeration_type:
      // Rust enumerations have methods; those of other languages only have many members.
      if (language != Language::rust) return {Treatment::skipped, DieKind::class_type};
      return {Treatment::node, DieKind::class_type};
    case DW_TAG_lexical_block:
    case DW_TAG_try_block:
    case DW_TAG_catch_block:
    case DW_TAG_with_stmt:
      return {Treatment::transparent, DieKind::subprogram};
    default:
      return {Treatment::skipped, DieKind::subprogram};
  }
}

class TreeReader {
 public:
  TreeReader(FormValues& values, const CodeFilter& code, Language language)
      : values_(values), code_(code), entries_(values.sections(), values.header()) {
    tree_.language = language;
  }

  Expected<DieTree> read();

 private:
  // The attributes that give a node's ranges.
  struct Extent {
    std::optional<Address> low_pc;
    std::optional<EntryAttribute> high_pc;
    std::optional<EntryAttribute> ranges;
    std::optional<Address> entry_address;
    std::optional<std::uint64_t> entry_offset;
  };

  Expected<void> visit();
  Expected<void> read_node(DieNode& node);
  void read_attribute(const EntryAttribute& attribute, DieNode& node, Extent& extent);
  void read_place(const EntryAttribute& attribute, DieNode& node) const;
  Expected<void> add_ranges(const Extent& extent, DieNode& node);
  void add_range(AddressRange range, DieNode& node);
  [[nodiscard]] std::uint32_t narrow_number(const EntryAttribute& attribute) const;

  FormValues& values_;
  const CodeFilter& code_;
  DieReader entries_;
  DieTree tree_;
  // By depth: the node around the entries at that depth.
  std::vector<std::uint32_t> parents_;
};

Expected<DieTree> TreeReader::read() {
  tree_.first_offset = values_.header().offset;
  tree_.end_offset = values_.header().end;
  tree_.owners = values_.sections().owners;
  parents_.assign(2, no_node);
  while (entries_.next()) {
    if (entries_.depth() == 0) continue;  // the unit itself
    TRY(visit());
  }
  if (entries_.damage()) return *entries_.damage();
  return std::move(tree_);
}

Expected<void> TreeReader::visit() {
  const TagMeaning meaning = meaning_of(entries_.tag(), tree_.language);
  if (meaning.treatment == Treatment::skipped) {
    entries_.pass_over_children();
    return {};
  }
  const std::size_t depth = entries_.depth();
  if (depth >= deepest_nesting) {
    return Error{ErrorCode::corrupt,
                 fmt::format("the entries around {:#x} of .debug_info are nested deeper than any "
                             "compiler's",
                             entries_.offset()),
                 values_.sections().path,
                 {}};
  }
  std::uint32_t parent_of_children = parents_[depth];
  if (meaning.treatment == Treatment::node) {
    DieNode node;
    node.offset = entries_.offset();
    node.parent = parents_[depth];
    node.kind = meaning.kind;
    TRY(read_node(node));
    parent_of_children = static_cast<std::uint32_t>(tree_.nodes.size());
    tree_.nodes.push_back(node);
  }
  parents_.resize(depth + 1);
  parents_.push_back(parent_of_children);
  return {};
}

Expected<void> TreeReader::read_node(DieNode& node) {
  Extent extent;
  for (const EntryAttribute& attribute : entries_.attributes()) {
    read_attribute(attribute, node, extent);
  }
  if (node.kind != DieKind::subprogram && node.kind != DieKind::inlined_call) return {};
  return add_ranges(extent, node);
}

void TreeReader::read_attribute(const EntryAttribute& attribute, DieNode& node, Extent& extent) {
  switch (attribute.name) {
    case DW_AT_name:
      node.name = values_.string(attribute).value_or(std::string_view());
      break;
    case DW_AT_linkage_name:
    case DW_AT_MIPS_linkage_name:
      node.linkage_name = values_.string(attribute).value_or(std::string_view());
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
      extent.low_pc = values_.address(attribute);
      break;
    case DW_AT_high_pc:
      extent.high_pc = attribute;
      break;
    case DW_AT_ranges:
      extent.ranges = attribute;
      break;
    case DW_AT_entry_pc:
      // Since DWARF 5, it may be an offset from the start of the code.
      extent.entry_address = values_.address(attribute);
      if (!extent.entry_address) extent.entry_offset = values_.number(attribute);
      break;
    default:
      read_place(attribute, node);
      break;
  }
}

std::uint32_t TreeReader::narrow_number(const EntryAttribute& attribute) const {
  const std::optional<std::uint64_t> value = values_.number(attribute);
  if (!value || *value > std::numeric_limits<std::uint32_t>::max()) return 0;
  return static_cast<std::uint32_t>(*value);
}

void TreeReader::read_place(const EntryAttribute& attribute, DieNode& node) const {
  const bool is_call = node.kind == DieKind::inlined_call;
  RawLocation& place = node.place;
  if (attribute.name == (is_call ? DW_AT_call_file : DW_AT_decl_file)) {
    place.file = narrow_number(attribute);
  } else if (attribute.name == (is_call ? DW_AT_call_line : DW_AT_decl_line)) {
    place.line = narrow_number(attribute);
  } else if (attribute.name == (is_call ? DW_AT_call_column : DW_AT_decl_column)) {
    place.column = narrow_number(attribute);
  }
}

void TreeReader::add_range(AddressRange range, DieNode& node) {
  if (range.empty() || !code_.is_code(range.low)) return;
  tree_.ranges.push_back(range);
  ++node.range_count;
}

Expected<void> TreeReader::add_ranges(const Extent& extent, DieNode& node) {
  node.first_range = static_cast<std::uint32_t>(tree_.ranges.size());
  std::optional<Address> start = extent.low_pc;
  if (extent.ranges) {
    node.has_indexed_ranges = extent.ranges->form == DW_FORM_rnglistx;
    TRY_ASSIGN(auto ranges, values_.ranges(*extent.ranges));
    for (const AddressRange& range : ranges) add_range(range, node);
    if (!start && node.range_count > 0) start = tree_.ranges[node.first_range].low;
  } else if (extent.low_pc && extent.high_pc) {
    const auto high = values_.high_pc(*extent.high_pc, *extent.low_pc);
    if (high) add_range({*extent.low_pc, *high}, node);
  }
  if (node.range_count == 0) return {};
  node.entry = extent.entry_address;
  if (!node.entry && start) node.entry = *start + extent.entry_offset.value_or(0);
  return {};
}

}  // namespace

std::uint32_t DieTree::find(std::uint64_t offset) const {
  const auto found = std::lower_bound(
      nodes.begin(), nodes.end(), offset,
      [](const DieNode& node, std::uint64_t wanted) { return node.offset < wanted; });
  if (found == nodes.end() || found->offset != offset) return no_node;
  return static_cast<std::uint32_t>(found - nodes.begin());
}

std::span<const AddressRange> DieTree::ranges_of(const DieNode& node) const {
  return std::span(ranges).subspan(node.first_range, node.range_count);
}

Expected<DieTree> read_die_tree(FormValues& values, const CodeFilter& code, Language language) {
  return TreeReader(values, code, language).read();
}

}  // namespace gprof::dwarf
