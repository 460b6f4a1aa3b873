// Entries that refer to each other, within a unit and across units (link-time optimisation, dwz).
//
// Ownership: keeps the trees alive that were asked for. Thread contract: one thread.
// Errors: none; a reference that leads nowhere, or round and round, ends there.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "engine/dwarf/debug_information.h"
#include "engine/dwarf/die_tree.h"

namespace gprof::dwarf {

// The tree of the unit that holds the offset of .debug_info; null where none can be read.
using TreeSource = std::function<std::shared_ptr<const DieTree>(std::uint64_t offset)>;

struct DieReference {
  const DieTree* tree = nullptr;
  std::uint32_t index = no_node;

  explicit operator bool() const { return tree != nullptr; }
  [[nodiscard]] const DieNode& node() const { return tree->nodes[index]; }
  friend bool operator==(const DieReference&, const DieReference&) = default;
};

class DieGraph {
 public:
  DieGraph(const DieTree& own, TreeSource others) : own_(own), others_(std::move(others)) {}

  // What its abstract origin or its specification is; nothing where it has none.
  [[nodiscard]] DieReference origin(DieReference die);
  [[nodiscard]] DieReference parent(DieReference die) const;
  // The entry itself, its origin, the origin of that, and so on. Never empty, never endless.
  [[nodiscard]] std::vector<DieReference> origins(DieReference die);
  // The abstract function that this is an instance of: the same for all its instances.
  [[nodiscard]] DieReference abstract_function(DieReference die);

 private:
  [[nodiscard]] const DieTree* tree_at(std::uint64_t offset);

  const DieTree& own_;
  TreeSource others_;
  std::map<std::uint64_t, std::shared_ptr<const DieTree>> held_;  // by first offset
};

// Where the chain of origins declares itself: the first that says so wins, for the file, the line
// and the column each, because compilers leave out what is as in the declaration.
[[nodiscard]] Declaration declaration_of(const std::vector<DieReference>& origins);
[[nodiscard]] std::string_view name_of(const std::vector<DieReference>& origins);
[[nodiscard]] std::string_view linkage_name_of(const std::vector<DieReference>& origins);
// The file by the numbers of the tree's unit.
[[nodiscard]] FileId file_of(const DieTree& tree, const RawPlace& place);

}  // namespace gprof::dwarf
