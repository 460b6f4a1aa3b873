#include "engine/dwarf/named_code.h"

#include <map>
#include <memory>
#include <utility>

#include "engine/dwarf/die_graph.h"

namespace gprof::dwarf {
namespace {

class CodeCollector {
 public:
  CodeCollector(const DieTree& tree, UnitTrees& others) : tree_(tree), graph_(tree, others) {}

  UnitCode collect();

 private:
  void add_subprogram(std::uint32_t index);
  void add_inlined_call(std::uint32_t index);
  void add(const DieNode& node, std::string_view own_name, std::string_view linkage_name);
  [[nodiscard]] bool is_in_code(const DieNode& call) const;
  [[nodiscard]] std::string_view name_of_callee(DieReference call);

  const DieTree& tree_;
  DieGraph graph_;
  UnitCode result_;
  // The name that the first instance with its own code gives each abstract function.
  std::map<std::pair<const DieTree*, std::uint32_t>, std::string_view> instance_names_;
};

UnitCode CodeCollector::collect() {
  result_.ranges.reserve(tree_.ranges.size());
  std::size_t with_code = 0;
  for (const DieNode& node : tree_.nodes) with_code += node.range_count > 0 ? 1 : 0;
  result_.functions.reserve(with_code);
  for (std::uint32_t i = 0; i < tree_.nodes.size(); ++i) {
    if (tree_.nodes[i].kind == DieKind::subprogram) add_subprogram(i);
  }
  for (std::uint32_t i = 0; i < tree_.nodes.size(); ++i) {
    if (tree_.nodes[i].kind == DieKind::inlined_call) add_inlined_call(i);
  }
  return std::move(result_);
}

void CodeCollector::add(const DieNode& node, std::string_view own_name,
                        std::string_view linkage_name) {
  const auto first = static_cast<std::uint32_t>(result_.ranges.size());
  const auto ranges = tree_.ranges_of(node);
  result_.ranges.insert(result_.ranges.end(), ranges.begin(), ranges.end());
  result_.functions.push_back(
      {own_name, linkage_name, first, node.range_count, node.has_indexed_ranges});
}

void CodeCollector::add_subprogram(std::uint32_t index) {
  const DieNode& node = tree_.nodes[index];
  if (node.range_count == 0) return;
  if (!node.origin) {
    add(node, node.name, node.linkage_name);
    return;
  }
  const auto origins = graph_.origins({&tree_, index});
  const std::string_view own_name = name_of(origins);
  if (node.origin_is_abstract) {
    const DieReference abstract = graph_.abstract_function({&tree_, index});
    instance_names_.try_emplace({abstract.tree, abstract.index}, own_name);
  }
  add(node, own_name, linkage_name_of(origins));
}

// False in a function that the linker discarded.
bool CodeCollector::is_in_code(const DieNode& call) const {
  for (std::uint32_t up = call.parent; up != no_node; up = tree_.nodes[up].parent) {
    if (tree_.nodes[up].kind == DieKind::subprogram) return tree_.nodes[up].range_count > 0;
  }
  return false;
}

std::string_view CodeCollector::name_of_callee(DieReference call) {
  const DieReference abstract = graph_.abstract_function(call);
  const auto known = instance_names_.find({abstract.tree, abstract.index});
  return known != instance_names_.end() ? known->second : name_of(graph_.origins(abstract));
}

void CodeCollector::add_inlined_call(std::uint32_t index) {
  const DieNode& node = tree_.nodes[index];
  if (node.range_count == 0 || !is_in_code(node)) return;
  const DieReference call{&tree_, index};
  add(node, name_of_callee(call), linkage_name_of(graph_.origins(call)));
}

void copy_names(UnitCode& code) {
  std::size_t size = 0;
  for (const NamedCode& named : code.functions) {
    size += named.own_name.size() + named.linkage_name.size();
  }
  auto names = std::make_shared<std::string>();
  names->reserve(size);  // so that the names do not move
  const auto owned = [&](std::string_view name) {
    const std::size_t start = names->size();
    names->append(name);
    return std::string_view(*names).substr(start);
  };
  for (NamedCode& named : code.functions) {
    named.own_name = owned(named.own_name);
    named.linkage_name = owned(named.linkage_name);
  }
  code.names = std::move(names);
}

}  // namespace

UnitCode collect_named_code(const DieTree& tree, UnitTrees& others) {
  UnitCode code = CodeCollector(tree, others).collect();
  if (tree.is_split) copy_names(code);
  return code;
}

}  // namespace gprof::dwarf
