#include "runtime/blocks/block_counter.h"

#include "runtime/blocks/block_places.h"
#include "runtime/calls/call_table.h"
#include "runtime/calls/count_call.h"
#include "runtime/modules/modules.h"
#include "runtime/process/hooks.h"
#include "runtime/storage/live_file.h"

namespace gprof_runtime::blocks {
namespace {

std::uint64_t page_of(std::uint64_t address) { return address / block_page_span; }

std::uint64_t element_of(std::uint64_t address) {
  return address % block_page_span / block_granule;
}

// The slot's page for the address, if it has one that is not from an earlier epoch.
ChunkHeader* find_page(std::uint32_t slot, std::uint64_t low) {
  for (ChunkHeader* chunk = live::newest(); chunk != nullptr; chunk = live::next(chunk)) {
    if (kind_of(*chunk) == ChunkKind::block_counts && chunk->slot == slot &&
        live::entries<BlockPage>(chunk)->low == low && chunk->epoch == still_loaded) {
      return chunk;
    }
  }
  return nullptr;
}

ChunkHeader* make_page(std::uint32_t slot, std::uint64_t low) {
  ChunkHeader* chunk = live::allocate(ChunkKind::block_counts, slot, sizeof(BlockPage), 1);
  if (chunk == nullptr) return nullptr;
  live::entries<BlockPage>(chunk)->low = low;
  chunk->epoch = still_loaded;
  return chunk;
}

// The counts of the address's page; null if out of memory.
std::uint64_t* counts_of(ThreadState* thread, std::uint64_t address) {
  const std::uint64_t low = page_of(address) * block_page_span;
  ChunkHeader* page = find_page(thread->slot, low);
  if (page == nullptr) {
    find_places(address);
    page = make_page(thread->slot, low);
  }
  return page != nullptr ? live::entries<BlockPage>(page)->counts : nullptr;
}

}  // namespace

// Not inlined, to keep the fast path before it short.
[[gnu::noinline]] static void count_in_full(std::uint64_t returns_to) {
  if (counting_enabled == 0) return;
  ThreadState* thread = acquire_thread();
  std::uint64_t* counts = thread != nullptr ? counts_of(thread, returns_to) : nullptr;
  if (counts == nullptr) return;
  count_one(&counts[element_of(returns_to)]);
  BlockCacheEntry& cached = thread->blocks[page_of(returns_to) % block_cache_size];
  cached.page = 0;
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  cached.counts = counts;
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  cached.page = page_of(returns_to);
  note_tables(thread);
  current_blocks = thread->blocks;
  // Another thread may have turned counting off meanwhile and taken all caches.
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  if (counting_enabled == 0) current_blocks = nullptr;
}

[[gnu::always_inline]] static inline void count(std::uint64_t returns_to) {
  BlockCacheEntry* cache = current_blocks;
  if (cache == nullptr) [[unlikely]] {
    return count_in_full(returns_to);
  }
  const BlockCacheEntry& cached = cache[page_of(returns_to) % block_cache_size];
  // Read before the page, which then proves that the counts belong to it, whatever a signal handler
  // has done in between.
  std::uint64_t* counts = cached.counts;
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  if (cached.page != page_of(returns_to)) [[unlikely]] {
    return count_in_full(returns_to);
  }
  count_one(&counts[element_of(returns_to)]);
}

void retire(std::uint64_t ended_epoch) {
  const auto is_gone = [&](std::uint64_t address) {
    const ModuleRecord* module = modules::in_epoch(address, ended_epoch);
    return module != nullptr && module->unload_epoch == ended_epoch;
  };
  for (ChunkHeader* chunk = live::newest(); chunk != nullptr; chunk = live::next(chunk)) {
    if (chunk->epoch != still_loaded) continue;
    if (kind_of(*chunk) == ChunkKind::block_places &&
        is_gone(live::entries<BlockAddress>(chunk)->call)) {
      chunk->epoch = ended_epoch;
    }
    if (kind_of(*chunk) != ChunkKind::block_counts) continue;
    const std::uint64_t low = live::entries<BlockPage>(chunk)->low;
    // A page may begin or end outside the module.
    const auto* counts = live::entries<BlockPage>(chunk)->counts;
    for (std::uint64_t i = 0; i < block_page_span / block_granule; ++i) {
      if (counts[i] == 0 || !is_gone(low + 4 * i)) continue;
      chunk->epoch = ended_epoch;
      break;
    }
  }
  for (ThreadState* thread = all_threads(); thread != nullptr; thread = thread->next) {
    for (BlockCacheEntry& cached : thread->blocks) {
      const std::uint64_t page = __atomic_load_n(&cached.page, __ATOMIC_RELAXED);
      if (page == 0) continue;
      if (is_gone(page * block_page_span) || is_gone((page + 1) * block_page_span - 1)) {
        __atomic_store_n(&cached.page, 0, __ATOMIC_RELAXED);
      }
    }
  }
}

}  // namespace gprof_runtime::blocks

void gprof_runtime::keep_block_hooks() {}

#define GPROF_EXPORT extern "C" [[gnu::visibility("default")]]

// gcc and clang -fsanitize-coverage=trace-pc
GPROF_EXPORT void __sanitizer_cov_trace_pc() {
  gprof_runtime::blocks::count(reinterpret_cast<std::uint64_t>(__builtin_return_address(0)));
}

// clang -fsanitize-coverage=trace-pc-guard. The guard is not needed: the return address identifies
// the block.
GPROF_EXPORT void __sanitizer_cov_trace_pc_guard(std::uint32_t* /*guard*/) {
  gprof_runtime::blocks::count(reinterpret_cast<std::uint64_t>(__builtin_return_address(0)));
}
GPROF_EXPORT void __sanitizer_cov_trace_pc_guard_init(std::uint32_t* /*begin*/,
                                                      std::uint32_t* /*end*/) {}
GPROF_EXPORT void __sanitizer_cov_pcs_init(const std::uintptr_t* /*begin*/,
                                           const std::uintptr_t* /*end*/) {}
