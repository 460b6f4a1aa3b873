// Blocks: joins their places, found in machine code, with counts, which know only the return
// address of the call to the collector, in steps of four bytes.
#include <algorithm>
#include <tuple>

#include "engine/gmon/collected_module.h"
#include "engine/support/saturating.h"
#include "formats/gmon_rules.h"

namespace gprof {
namespace {

// By link-time address, so that a library loaded several times has its blocks only once.
struct Site {
  ModuleAddress slot;  // what the call returns to, rounded down
  ModuleAddress call;

  friend auto operator<=>(const Site&, const Site&) = default;
};

ModuleAddress slot_of(ModuleAddress place) {
  place.address.value = gprof_formats::block_slot(place.address.value);
  return place;
}

std::vector<Site> find_sites(const LiveCounters& live, LiveModules& modules) {
  std::vector<Site> sites;
  for (const LiveBlockAddress& place : live.block_places) {
    const ModuleAddress call = modules.resolve(place.call, place.epoch);
    if (call.module == no_module) continue;
    const ModuleAddress returns_to{call.module, call.address + (place.returns_to - place.call)};
    sites.push_back({slot_of(returns_to), call});
  }
  std::sort(sites.begin(), sites.end());
  sites.erase(std::unique(sites.begin(), sites.end()), sites.end());
  return sites;
}

std::vector<CollectedBlock> find_counts(const LiveCounters& live, LiveModules& modules) {
  std::vector<CollectedBlock> counts;
  for (const LiveBlockCount& block : live.block_counts) {
    const ModuleAddress place = modules.resolve(block.address, block.epoch);
    if (place.module != no_module) counts.push_back({slot_of(place), block.count});
  }
  std::sort(counts.begin(), counts.end(),
            [](const CollectedBlock& a, const CollectedBlock& b) { return a.place < b.place; });
  std::size_t kept = 0;
  for (const CollectedBlock& block : counts) {
    if (kept > 0 && counts[kept - 1].place == block.place) {
      counts[kept - 1].count = saturating_add(counts[kept - 1].count, block.count);
    } else {
      counts[kept++] = block;
    }
  }
  counts.resize(kept);
  return counts;
}

}  // namespace

std::vector<CollectedBlock> collect_blocks(const LiveCounters& live, LiveModules& modules) {
  const std::vector<Site> sites = find_sites(live, modules);
  const std::vector<CollectedBlock> counts = find_counts(live, modules);
  std::vector<CollectedBlock> blocks;
  auto next = counts.begin();
  for (const Site& site : sites) {
    while (next != counts.end() && next->place < site.slot) blocks.push_back(*next++);
    const bool ran = next != counts.end() && next->place == site.slot;
    blocks.push_back({site.call, ran ? next->count : 0});
    if (ran) ++next;
  }
  blocks.insert(blocks.end(), next, counts.end());
  std::stable_sort(
      blocks.begin(), blocks.end(),
      [](const CollectedBlock& a, const CollectedBlock& b) { return a.place < b.place; });
  return blocks;
}

}  // namespace gprof
