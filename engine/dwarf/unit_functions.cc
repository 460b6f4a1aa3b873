#include "engine/dwarf/unit_functions.h"

#include <map>
#include <utility>

#include <fmt/format.h>

#include "engine/dwarf/die_graph.h"
#include "engine/dwarf/qualified_name.h"
#include "engine/object/demangle.h"

namespace gprof::dwarf {
namespace {

constexpr std::uint32_t none = ~std::uint32_t{0};

class FunctionCollector {
 public:
  FunctionCollector(const DieTree& tree, UnitTrees& others, UnitFiles& files)
      : tree_(tree),
        graph_(tree, others),
        files_(files),
        subprogram_of_node_(tree.nodes.size(), none),
        call_of_node_(tree.nodes.size(), none),
        // An entry takes tens of bytes, a qualified name hundreds.
        name_bytes_left_(64 * (tree.end_offset - tree.first_offset) + (1u << 20)) {}

  Expected<UnitFunctions> collect();

 private:
  Expected<std::uint32_t> add_subprogram(DieReference die);
  Expected<void> add_inlined_call(std::uint32_t node_index);
  Expected<void> count_name_bytes(std::uint64_t name_bytes);
  Expected<std::uint32_t> callee_of(DieReference call);
  Declaration declaration_of(const std::vector<DieReference>& origins);
  FileId file_of(const DieTree& tree, const RawLocation& place);

  const DieTree& tree_;
  DieGraph graph_;
  UnitFiles& files_;
  // A unit without its line table loses where its functions are declared, not the functions.
  std::map<const DieTree*, Expected<UnitFiles::Table>> tables_;
  UnitFunctions result_;
  std::vector<std::uint32_t> subprogram_of_node_;
  std::vector<std::uint32_t> call_of_node_;
  // The first instance of each abstract function.
  std::map<std::pair<const DieTree*, std::uint32_t>, std::uint32_t> first_instance_;
  std::uint64_t name_bytes_left_;
};

Expected<UnitFunctions> FunctionCollector::collect() {
  // Out-of-line instances first, so that inlined calls of the same function find them.
  for (std::uint32_t i = 0; i < tree_.nodes.size(); ++i) {
    const DieNode& node = tree_.nodes[i];
    if (node.kind != DieKind::subprogram || node.range_count == 0) continue;
    TRY_ASSIGN(auto added, add_subprogram({&tree_, i}));
    subprogram_of_node_[i] = added;
  }
  for (std::uint32_t i = 0; i < tree_.nodes.size(); ++i) {
    if (tree_.nodes[i].kind != DieKind::inlined_call) continue;
    TRY(add_inlined_call(i));
  }
  return std::move(result_);
}

Expected<void> FunctionCollector::count_name_bytes(std::uint64_t name_bytes) {
  if (name_bytes > name_bytes_left_) {
    return Error{ErrorCode::corrupt,
                 fmt::format("the functions of the unit at {:#x} of .debug_info have names longer "
                             "than the unit can hold",
                             tree_.first_offset),
                 tree_.owners.empty() ? std::string() : tree_.owners.front()->path(),
                 {}};
  }
  name_bytes_left_ -= name_bytes;
  return {};
}

// By the file numbers of the tree's unit.
FileId FunctionCollector::file_of(const DieTree& tree, const RawLocation& place) {
  if (!place.file) return no_file;
  auto table = tables_.find(&tree);
  if (table == tables_.end()) table = tables_.emplace(&tree, files_.of(*tree.record)).first;
  if (!table->second || *place.file >= (*table->second)->size()) return no_file;
  return (**table->second)[*place.file];
}

// The first of the chain to give the file, the line or the column wins, for each separately,
// because compilers omit what the declaration already says.
Declaration FunctionCollector::declaration_of(const std::vector<DieReference>& origins) {
  Declaration declaration;
  for (const DieReference die : origins) {
    // An inlined call's place is that of the call.
    if (die.node().kind == DieKind::inlined_call) continue;
    const RawLocation& place = die.node().place;
    if (declaration.file == no_file) declaration.file = file_of(*die.tree, place);
    if (declaration.line == 0) declaration.line = place.line;
    if (declaration.column == 0) declaration.column = place.column;
  }
  return declaration;
}

Expected<std::uint32_t> FunctionCollector::add_subprogram(DieReference die) {
  const auto origins = graph_.origins(die);
  Subprogram subprogram;
  subprogram.name = qualified_name(graph_, origins);
  subprogram.own_name = name_of(origins);
  subprogram.linkage_name = linkage_name_of(origins);
  if (subprogram.name.empty() && !subprogram.linkage_name.empty()) {
    subprogram.name = demangle(subprogram.linkage_name, tree_.language).name;
  }
  const std::uint64_t name_bytes =
      subprogram.name.size() + subprogram.own_name.size() + subprogram.linkage_name.size();
  TRY(count_name_bytes(name_bytes));
  subprogram.declaration = declaration_of(origins);
  if (subprogram.declaration.line == 0) {
    // The call operator of a lambda: GCC gives the location only to the lambda's class.
    const DieReference scope = graph_.parent(origins.back());
    if (scope && scope.node().kind == DieKind::class_type) {
      subprogram.declaration = declaration_of(graph_.origins(scope));
    }
  }
  if (die.node().kind == DieKind::subprogram) {
    const auto ranges = die.tree->ranges_of(die.node());
    // Code in another unit belongs to that unit.
    if (die.tree == &tree_) subprogram.ranges.assign(ranges.begin(), ranges.end());
    if (!subprogram.ranges.empty()) {
      subprogram.has_indexed_ranges = die.node().has_indexed_ranges;
      subprogram.entry = die.node().entry.value_or(subprogram.ranges.front().low);
    }
  }
  const auto index = static_cast<std::uint32_t>(result_.subprograms.size());
  const DieReference abstract = graph_.abstract_function(die);
  first_instance_.try_emplace({abstract.tree, abstract.index}, index);
  result_.subprograms.push_back(std::move(subprogram));
  return index;
}

Expected<std::uint32_t> FunctionCollector::callee_of(DieReference call) {
  const DieReference abstract = graph_.abstract_function(call);
  const auto known = first_instance_.find({abstract.tree, abstract.index});
  if (known != first_instance_.end()) return known->second;
  return add_subprogram(abstract);
}

Expected<void> FunctionCollector::add_inlined_call(std::uint32_t node_index) {
  const DieNode& node = tree_.nodes[node_index];
  if (node.range_count == 0) return {};
  InlinedCall call;
  std::uint32_t container = none;
  for (std::uint32_t up = node.parent; up != no_node; up = tree_.nodes[up].parent) {
    if (call_of_node_[up] != none) {
      call.parent = call_of_node_[up];
      container = result_.inlined_calls[*call.parent].container;
      break;
    }
    if (tree_.nodes[up].kind == DieKind::subprogram) {
      container = subprogram_of_node_[up];
      break;
    }
  }
  if (container == none) return {};  // code that the linker discarded
  call.container = container;
  TRY_ASSIGN(auto callee, callee_of({&tree_, node_index}));
  call.callee = callee;
  const auto ranges = tree_.ranges_of(node);
  call.ranges.assign(ranges.begin(), ranges.end());
  call.has_indexed_ranges = node.has_indexed_ranges;
  call.call_site = {file_of(tree_, node.place), node.place.line, node.place.column};
  const std::string_view linkage_name = linkage_name_of(graph_.origins({&tree_, node_index}));
  if (linkage_name != result_.subprograms[call.callee].linkage_name) {
    TRY(count_name_bytes(linkage_name.size()));
    call.linkage_name.emplace(linkage_name);
  }
  call_of_node_[node_index] = static_cast<std::uint32_t>(result_.inlined_calls.size());
  result_.inlined_calls.push_back(std::move(call));
  return {};
}

}  // namespace

Expected<UnitFunctions> collect_functions(const DieTree& tree, UnitTrees& others,
                                          UnitFiles& files) {
  return FunctionCollector(tree, others, files).collect();
}

}  // namespace gprof::dwarf
