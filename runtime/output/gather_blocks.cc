#include <tuple>

#include "formats/gmon_rules.h"
#include "runtime/output/array_order.h"
#include "runtime/output/gather.h"
#include "runtime/output/live_walk.h"

namespace gprof_runtime {
namespace {

// Blocks are counted per four bytes of code: an address's slot is where its four bytes begin.
struct SlotCount {
  std::uint32_t module;
  std::uint64_t slot;
  std::uint64_t count;
};

struct BlockSite {
  std::uint32_t module;
  std::uint64_t slot;  // of the address that the call returns to
  std::uint64_t call;
};

auto key_of(const SlotCount& count) { return std::tie(count.module, count.slot); }
auto key_of(const BlockSite& site) { return std::tie(site.module, site.slot, site.call); }
auto key_of(const BlockCount& block) { return std::tie(block.module, block.address); }

void add_page(ModuleTable& modules, ChunkHeader* chunk, AnonymousArray<SlotCount>& counts) {
  if (entries_in<BlockPage>(chunk, false) == 0) return;
  const BlockPage& page = *live::entries<BlockPage>(chunk);
  const std::uint64_t epoch = epoch_of(chunk, modules.epoch());
  for (std::size_t i = 0; i < block_page_span / block_granule; ++i) {
    const std::uint64_t count = read_live(page.counts[i]);
    if (count == 0) continue;
    const ModuleAddress found = modules.resolve(page.low + block_granule * i, epoch);
    if (found.module != no_module) counts.append({found.module, found.address, count});
  }
}

void add_sites(ModuleTable& modules, ChunkHeader* chunk, AnonymousArray<BlockSite>& sites) {
  const BlockAddress* addresses = live::entries<BlockAddress>(chunk);
  const std::size_t size = entries_in<BlockAddress>(chunk, true);
  const std::uint64_t epoch = epoch_of(chunk, modules.epoch());
  for (std::size_t i = 0; i < size; ++i) {
    const ModuleAddress found = modules.resolve(addresses[i].call, epoch);
    if (found.module == no_module) continue;
    const std::uint64_t returns_to = found.address + (addresses[i].returns_to - addresses[i].call);
    sites.append({found.module, block_slot(returns_to), found.address});
  }
}

// Both must be sorted. Every site becomes a block, and so does every count without a site.
void join(const AnonymousArray<SlotCount>& counts, const AnonymousArray<BlockSite>& sites,
          AnonymousArray<BlockCount>& blocks) {
  std::size_t next = 0;
  const auto add_unexplained = [&] {
    blocks.append({counts[next].module, counts[next].slot, counts[next].count});
    ++next;
  };
  for (const BlockSite& site : sites) {
    const auto wanted = std::tie(site.module, site.slot);
    while (next < counts.size() && key_of(counts[next]) < wanted) add_unexplained();
    std::uint64_t count = 0;
    if (next < counts.size() && key_of(counts[next]) == wanted) count = counts[next++].count;
    blocks.append({site.module, site.call, count});
  }
  while (next < counts.size()) add_unexplained();
}

template <typename Element>
void sort_by_key(AnonymousArray<Element>& array) {
  sort(array, [](const Element& a, const Element& b) { return key_of(a) < key_of(b); });
}

}  // namespace

bool gather_blocks(Gathered& into) {
  AnonymousArray<SlotCount> counts;
  AnonymousArray<BlockSite> sites;
  each_chunk(ChunkKind::block_counts,
             [&](ChunkHeader* chunk) { add_page(into.modules, chunk, counts); });
  each_chunk(ChunkKind::block_places,
             [&](ChunkHeader* chunk) { add_sites(into.modules, chunk, sites); });
  sort_by_key(counts);
  sum_neighbours(counts,
                 [](const SlotCount& a, const SlotCount& b) { return key_of(a) == key_of(b); });
  sort_by_key(sites);
  // A library that was loaded twice has its blocks twice.
  drop_equal_neighbours(
      sites, [](const BlockSite& a, const BlockSite& b) { return key_of(a) == key_of(b); });
  join(counts, sites, into.blocks);
  sort_by_key(into.blocks);
  return counts.complete() && sites.complete() && into.blocks.complete();
}

}  // namespace gprof_runtime
