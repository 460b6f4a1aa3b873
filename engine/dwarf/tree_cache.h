// Caches the trees of units that other units refer to.
//
// With link-time optimisation, every unit with code refers to the units that declare it; without
// the cache, each of those would be read once per unit with code.
// Thread contract: any thread; locked inside.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>

#include "engine/dwarf/die_tree.h"

namespace gprof::dwarf {

class TreeCache {
 public:
  // By the offset of the unit's header; null if it is not cached.
  [[nodiscard]] std::shared_ptr<const DieTree> find(std::uint64_t unit_offset) const {
    const std::lock_guard lock(mutex_);
    const auto kept = trees_.find(unit_offset);
    return kept == trees_.end() ? nullptr : kept->second;
  }

  void keep(std::uint64_t unit_offset, std::shared_ptr<const DieTree> tree) {
    const std::lock_guard lock(mutex_);
    if (node_count_ > most_nodes) {
      trees_.clear();
      node_count_ = 0;
    }
    node_count_ += tree->nodes.size();
    trees_[unit_offset] = std::move(tree);
  }

 private:
  // About 250 MB.
  static constexpr std::size_t most_nodes = 2'000'000;

  mutable std::mutex mutex_;
  std::map<std::uint64_t, std::shared_ptr<const DieTree>> trees_;
  std::size_t node_count_ = 0;
};

}  // namespace gprof::dwarf
