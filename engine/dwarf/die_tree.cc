#include "engine/dwarf/die_tree.h"

#include <algorithm>
#include <limits>
#include <utility>

#include <dwarf.h>
#include <fmt/format.h>

namespace gprof::dwarf {
namespace {

// Compilers nest a few dozen levels, optimised Rust a hundred.
constexpr std::size_t deepest_nesting = 512;

// libdwarf walks over all that is below an entry to find its sibling, so over each entry as often
// as there are levels above it. In real units the average is below twenty.
constexpr std::uint64_t most_walks = 64;
constexpr std::uint64_t free_walk = 1u << 20;

// What an entry is to the tree: a node, transparent (its children count for its parent), or skipped
// with all that is below it.
enum class Treatment : std::uint8_t { node, transparent, skipped };

struct TagMeaning {
  Treatment treatment;
  DieKind kind;
};

TagMeaning meaning_of(Dwarf_Half tag, Language language) {
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
      // Rust's have methods; those of other languages have many members and nothing to call.
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

std::uint32_t narrowed(std::optional<std::uint64_t> value) {
  if (!value || *value > std::numeric_limits<std::uint32_t>::max()) return 0;
  return static_cast<std::uint32_t>(*value);
}

class TreeReader {
 public:
  TreeReader(const LibdwarfUnit& unit, UnitValues& values, const CodeFilter& code,
             Language language)
      : unit_(unit), values_(values), code_(code) {
    tree_.language = language;
  }

  Expected<DieTree> read();

 private:
  struct Level {
    Die die;               // the entry that is looked at
    std::uint64_t offset;  // of it
    std::uint32_t parent;  // node around it
  };

  Expected<void> enter(Die first, std::uint32_t parent);
  Expected<bool> visit(const Level& level, std::uint32_t& parent_of_children);
  Expected<void> advance();
  Expected<void> read_attributes(const Die& die, DieNode& node);
  void read_attribute(Dwarf_Half name, Dwarf_Attribute attribute, DieNode& node);
  void read_place(Dwarf_Half name, Dwarf_Attribute attribute, DieNode& node);
  Expected<void> read_code(DieNode& node);
  void add_range(AddressRange range, DieNode& node);
  Expected<void> count_walk(std::uint64_t from, std::uint64_t to);
  Error too_deep(std::uint64_t offset) const;

  const LibdwarfUnit& unit_;
  UnitValues& values_;
  const CodeFilter& code_;
  DieTree tree_;
  std::vector<Level> levels_;
  std::uint64_t last_offset_ = 0;  // of the last entry that was seen
  std::uint64_t bytes_walked_ = 0;
  // Of the entry that is being read: what the code attributes are made of.
  std::optional<Address> low_pc_;
  Dwarf_Attribute high_pc_ = nullptr;
  Dwarf_Attribute ranges_ = nullptr;
  std::optional<Address> entry_address_;
  std::optional<std::uint64_t> entry_offset_;
};

Error TreeReader::too_deep(std::uint64_t offset) const {
  return Error{ErrorCode::corrupt,
               fmt::format("the entries around {:#x} of .debug_info are nested deeper than any "
                           "compiler's, or their siblings run backwards",
                           offset),
               values_.sections().path,
               {}};
}

Expected<void> TreeReader::enter(Die first, std::uint32_t parent) {
  if (!first) return {};
  auto offset = unit_.offset(first);
  if (!offset) return std::move(offset).error();
  const std::uint64_t lowest = levels_.empty() ? unit_.header().offset : levels_.back().offset;
  if (levels_.size() >= deepest_nesting || *offset <= lowest) return too_deep(*offset);
  levels_.push_back({std::move(first), *offset, parent});
  last_offset_ = *offset;
  return {};
}

Expected<void> TreeReader::count_walk(std::uint64_t from, std::uint64_t to) {
  bytes_walked_ += to - from;
  const std::uint64_t unit_size = unit_.header().end - unit_.header().offset;
  if (bytes_walked_ > most_walks * unit_size + free_walk) return too_deep(from);
  return {};
}

// To the next sibling, or to that of the closest entry above which has one.
Expected<void> TreeReader::advance() {
  while (!levels_.empty()) {
    Level& level = levels_.back();
    auto sibling = unit_.next_sibling(level.die);
    if (!sibling) return std::move(sibling).error();
    if (*sibling) {
      auto offset = unit_.offset(*sibling);
      if (!offset) return std::move(offset).error();
      if (*offset <= level.offset) return too_deep(*offset);
      auto counted = count_walk(level.offset, *offset);
      level.die = std::move(*sibling);
      level.offset = *offset;
      last_offset_ = *offset;
      return counted;
    }
    if (auto counted = count_walk(level.offset, last_offset_); !counted) return counted;
    levels_.pop_back();
  }
  return {};
}

Expected<DieTree> TreeReader::read() {
  tree_.first_offset = unit_.header().offset;
  tree_.end_offset = unit_.header().end;
  auto first = unit_.first_child(unit_.unit_die());
  if (!first) return std::move(first).error();
  if (auto entered = enter(std::move(*first), no_node); !entered) return entered.error();
  while (!levels_.empty()) {
    std::uint32_t parent_of_children = no_node;
    auto descend = visit(levels_.back(), parent_of_children);
    if (!descend) return std::move(descend).error();
    const std::size_t depth = levels_.size();
    if (*descend) {
      auto child = unit_.first_child(levels_.back().die);
      if (!child) return std::move(child).error();
      auto entered = enter(std::move(*child), parent_of_children);
      if (!entered) return entered.error();
    }
    if (levels_.size() > depth) continue;
    if (auto advanced = advance(); !advanced) return advanced.error();
  }
  return std::move(tree_);
}

// Whether the entry's children matter.
Expected<bool> TreeReader::visit(const Level& level, std::uint32_t& parent_of_children) {
  auto tag = unit_.tag(level.die);
  if (!tag) return std::move(tag).error();
  const TagMeaning meaning = meaning_of(*tag, tree_.language);
  parent_of_children = level.parent;
  if (meaning.treatment != Treatment::node) return meaning.treatment == Treatment::transparent;
  DieNode node;
  node.offset = level.offset;
  node.parent = level.parent;
  node.kind = meaning.kind;
  node.first_range = static_cast<std::uint32_t>(tree_.ranges.size());
  if (auto read = read_attributes(level.die, node); !read) return read.error();
  parent_of_children = static_cast<std::uint32_t>(tree_.nodes.size());
  tree_.nodes.push_back(node);
  return true;
}

Expected<void> TreeReader::read_attributes(const Die& die, DieNode& node) {
  auto attributes = unit_.attributes(die);
  if (!attributes) return std::move(attributes).error();
  low_pc_.reset();
  high_pc_ = nullptr;
  ranges_ = nullptr;
  entry_address_.reset();
  entry_offset_.reset();
  for (Dwarf_Attribute attribute : *attributes) {
    Dwarf_Half name = 0;
    Dwarf_Error error = nullptr;
    if (dwarf_whatattr(attribute, &name, &error) != DW_DLV_OK) {
      return unit_.take_error(error, "an attribute");
    }
    read_attribute(name, attribute, node);
  }
  return read_code(node);
}

void TreeReader::read_attribute(Dwarf_Half name, Dwarf_Attribute attribute, DieNode& node) {
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
      // From DWARF 5 on it may be an offset from the start of the code.
      entry_address_ = values_.address(attribute);
      if (!entry_address_) entry_offset_ = values_.number(attribute);
      break;
    default:
      read_place(name, attribute, node);
      break;
  }
}

void TreeReader::read_place(Dwarf_Half name, Dwarf_Attribute attribute, DieNode& node) {
  const bool is_call = node.kind == DieKind::inlined_call;
  RawPlace& place = node.place;
  if (name == (is_call ? DW_AT_call_file : DW_AT_decl_file)) {
    place.file = narrowed(values_.number(attribute));
  } else if (name == (is_call ? DW_AT_call_line : DW_AT_decl_line)) {
    place.line = narrowed(values_.number(attribute));
  } else if (name == (is_call ? DW_AT_call_column : DW_AT_decl_column)) {
    place.column = narrowed(values_.number(attribute));
  }
}

void TreeReader::add_range(AddressRange range, DieNode& node) {
  if (range.empty() || !code_.is_code(range.low)) return;
  tree_.ranges.push_back(range);
  ++node.range_count;
}

Expected<void> TreeReader::read_code(DieNode& node) {
  if (node.kind != DieKind::subprogram && node.kind != DieKind::inlined_call) return {};
  std::optional<Address> start = low_pc_;
  if (ranges_ != nullptr) {
    node.has_indexed_ranges = values_.form_of(ranges_) == DW_FORM_rnglistx;
    auto ranges = values_.ranges(ranges_);
    if (!ranges) return std::move(ranges).error();
    for (const AddressRange& range : *ranges) add_range(range, node);
    if (!start && node.range_count > 0) start = tree_.ranges[node.first_range].low;
  } else if (low_pc_ && high_pc_ != nullptr) {
    if (const auto high = values_.high_pc(high_pc_, *low_pc_)) add_range({*low_pc_, *high}, node);
  }
  if (node.range_count == 0) return {};
  node.entry = entry_address_;
  if (!node.entry && start) node.entry = *start + entry_offset_.value_or(0);
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

Expected<DieTree> read_die_tree(const LibdwarfUnit& unit, UnitValues& values,
                                const CodeFilter& code, Language language) {
  return TreeReader(unit, values, code, language).read();
}

}  // namespace gprof::dwarf
