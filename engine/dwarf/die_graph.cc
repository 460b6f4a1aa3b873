#include "engine/dwarf/die_graph.h"

#include <iterator>
#include <utility>

namespace gprof::dwarf {
namespace {

// Real chains have up to four entries: instance, abstract instance, definition, declaration.
constexpr std::size_t longest_chain = 16;

}  // namespace

const DieTree* DieGraph::tree_at(std::uint64_t offset) {
  const auto holds = [&](const DieTree& tree) {
    return tree.first_offset <= offset && offset < tree.end_offset;
  };
  if (holds(own_)) return &own_;
  const auto after = held_.upper_bound(offset);
  if (after != held_.begin() && holds(*std::prev(after)->second)) {
    return std::prev(after)->second.get();
  }
  if (own_.is_split) return nullptr;  // split units refer to no others
  auto tree = others_.at(offset);
  if (tree == nullptr) return nullptr;
  return held_.insert_or_assign(tree->first_offset, std::move(tree)).first->second.get();
}

DieReference DieGraph::origin(DieReference die) {
  const std::optional<std::uint64_t> offset = die.node().origin;
  if (!offset) return {};
  const DieTree* tree = tree_at(*offset);
  if (tree == nullptr) return {};
  const std::uint32_t index = tree->find(*offset);
  if (index == no_node) return {};
  return {tree, index};
}

DieReference DieGraph::parent(DieReference die) const {
  const std::uint32_t parent = die.node().parent;
  if (parent == no_node) return {};
  return {die.tree, parent};
}

std::vector<DieReference> DieGraph::origins(DieReference die) {
  std::vector<DieReference> chain;
  for (DieReference link = die; link && chain.size() < longest_chain; link = origin(link)) {
    chain.push_back(link);
  }
  return chain;
}

DieReference DieGraph::abstract_function(DieReference die) {
  for (std::size_t i = 0; i < longest_chain && die.node().origin_is_abstract; ++i) {
    const DieReference next = origin(die);
    if (!next) break;
    die = next;
  }
  return die;
}

std::string_view name_of(const std::vector<DieReference>& origins) {
  for (const DieReference die : origins) {
    if (!die.node().name.empty()) return die.node().name;
  }
  return {};
}

std::string_view linkage_name_of(const std::vector<DieReference>& origins) {
  for (const DieReference die : origins) {
    if (!die.node().linkage_name.empty()) return die.node().linkage_name;
  }
  return {};
}

}  // namespace gprof::dwarf
