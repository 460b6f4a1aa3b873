#include "engine/dwarf/die_tree.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "engine/dwarf/die_reader.h"
#include "engine/dwarf/node_reader.h"
#include "engine/support/limits.h"

namespace gprof::dwarf {
namespace {

// To find an entry's sibling, libdwarf walks over everything below it, so over each entry as often
// as there are levels above it. In real units the average is below twenty.
constexpr std::uint64_t most_walks = 64;
constexpr std::uint64_t free_walk = 1u << 20;

class TreeReader {
 public:
  TreeReader(const LibdwarfUnit& unit, UnitValues& values, const CodeFilter& code,
             Language language)
      : unit_(unit), values_(values), nodes_(values, code, tree_) {
    tree_.language = language;
  }

  Expected<DieTree> read();

 private:
  struct Level {
    Die die;               // the current entry
    std::uint64_t offset;  // its offset
    std::uint32_t parent;  // the node around it
  };

  Expected<void> enter(Die first, std::uint32_t parent);
  Expected<bool> visit(const Level& level, std::uint32_t& parent_of_children);
  Expected<void> advance();
  Expected<void> read_attributes(const Die& die, DieNode& node);
  Expected<void> count_walk(std::uint64_t from, std::uint64_t to);
  Error too_deep(std::uint64_t offset) const;

  const LibdwarfUnit& unit_;
  UnitValues& values_;
  DieTree tree_;
  NodeReader<UnitValues, Dwarf_Attribute> nodes_;
  std::vector<Level> levels_;
  std::uint64_t last_offset_ = 0;  // of the last entry seen
  std::uint64_t bytes_walked_ = 0;
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
  TRY_ASSIGN(auto offset, unit_.offset(first));
  const std::uint64_t lowest = levels_.empty() ? unit_.header().offset : levels_.back().offset;
  if (levels_.size() >= deepest_nesting || offset <= lowest) return too_deep(offset);
  levels_.push_back({std::move(first), offset, parent});
  last_offset_ = offset;
  return {};
}

Expected<void> TreeReader::count_walk(std::uint64_t from, std::uint64_t to) {
  bytes_walked_ += to - from;
  const std::uint64_t unit_size = unit_.header().end - unit_.header().offset;
  if (bytes_walked_ > most_walks * unit_size + free_walk) return too_deep(from);
  return {};
}

// To the next sibling, or to that of the closest ancestor that has one.
Expected<void> TreeReader::advance() {
  while (!levels_.empty()) {
    Level& level = levels_.back();
    TRY_ASSIGN(auto sibling, unit_.next_sibling(level.die));
    if (sibling) {
      TRY_ASSIGN(auto offset, unit_.offset(sibling));
      if (offset <= level.offset) return too_deep(offset);
      auto counted = count_walk(level.offset, offset);
      level.die = std::move(sibling);
      level.offset = offset;
      last_offset_ = offset;
      return counted;
    }
    TRY(count_walk(level.offset, last_offset_));
    levels_.pop_back();
  }
  return {};
}

Expected<DieTree> TreeReader::read() {
  tree_.first_offset = unit_.header().offset;
  tree_.end_offset = unit_.header().end;
  TRY_ASSIGN(auto first, unit_.first_child(unit_.unit_die()));
  TRY(enter(std::move(first), no_node));
  const std::uint64_t most = most_entries(values_.sections().file_size);
  for (std::uint64_t entries = 1; !levels_.empty(); ++entries) {
    if (entries > most) return too_many_entries(values_.sections(), unit_.header());
    std::uint32_t parent_of_children = no_node;
    TRY_ASSIGN(auto descend, visit(levels_.back(), parent_of_children));
    const std::size_t depth = levels_.size();
    if (descend) {
      TRY_ASSIGN(auto child, unit_.first_child(levels_.back().die));
      TRY(enter(std::move(child), parent_of_children));
    }
    if (levels_.size() > depth) continue;
    TRY(advance());
  }
  return std::move(tree_);
}

// Whether the entry's children matter.
Expected<bool> TreeReader::visit(const Level& level, std::uint32_t& parent_of_children) {
  TRY_ASSIGN(auto tag, unit_.tag(level.die));
  const TagMeaning meaning = meaning_of(tag, tree_.language);
  parent_of_children = level.parent;
  if (meaning.treatment != Treatment::node) return meaning.treatment == Treatment::transparent;
  DieNode node;
  node.offset = level.offset;
  node.parent = level.parent;
  node.kind = meaning.kind;
  TRY(read_attributes(level.die, node));
  parent_of_children = static_cast<std::uint32_t>(tree_.nodes.size());
  tree_.nodes.push_back(node);
  return true;
}

Expected<void> TreeReader::read_attributes(const Die& die, DieNode& node) {
  TRY_ASSIGN(auto attributes, unit_.attributes(die));
  nodes_.start(node);
  for (Dwarf_Attribute attribute : attributes) {
    Dwarf_Half name = 0;
    Dwarf_Error error = nullptr;
    if (dwarf_whatattr(attribute, &name, &error) != DW_DLV_OK) {
      return unit_.take_error(error, "an attribute");
    }
    nodes_.read(name, attribute, node);
  }
  return nodes_.finish(node);
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
