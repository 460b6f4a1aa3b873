// Entries that refer to each other, within a unit and across units (link-time optimisation, dwz).
//
// Ownership: keeps the trees it asked for alive. Thread contract: one thread.
// Errors: none; a dangling or circular reference ends the chain.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "engine/dwarf/die_tree.h"
#include "engine/dwarf/unit_trees.h"

namespace gprof::dwarf {

struct DieReference {
  const DieTree* tree = nullptr;
  std::uint32_t index = no_node;

  explicit operator bool() const { return tree != nullptr; }
  [[nodiscard]] const DieNode& node() const { return tree->nodes[index]; }
  friend bool operator==(const DieReference&, const DieReference&) = default;
};

class DieGraph {
 public:
  DieGraph(const DieTree& own, UnitTrees& others) : own_(own), others_(others) {}

  // Its abstract origin or its specification; nothing if it has neither.
  [[nodiscard]] DieReference origin(DieReference die);
  [[nodiscard]] DieReference parent(DieReference die) const;
  // The entry itself, its origin, that one's origin, and so on. Never empty, always finite.
  [[nodiscard]] std::vector<DieReference> origins(DieReference die);
  // The abstract function that this is an instance of; the same for all its instances.
  [[nodiscard]] DieReference abstract_function(DieReference die);

 private:
  [[nodiscard]] const DieTree* tree_at(std::uint64_t offset);

  const DieTree& own_;
  UnitTrees& others_;
  std::map<std::uint64_t, std::shared_ptr<const DieTree>> held_;  // by first offset
};

// What the first to have a name calls itself.
[[nodiscard]] std::string_view name_of(const std::vector<DieReference>& origins);
[[nodiscard]] std::string_view linkage_name_of(const std::vector<DieReference>& origins);

}  // namespace gprof::dwarf
