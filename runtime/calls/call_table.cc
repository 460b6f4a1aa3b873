#include "runtime/calls/call_table.h"

#include "runtime/storage/live_file.h"

namespace gprof_runtime {
namespace {

// Small, so that a program with thousands of threads takes little. Tables grow quickly from there.
constexpr std::uint64_t first_capacity = 64;
static_assert(sizeof(ChunkHeader) + first_capacity * sizeof(CallEntry) <=
              live::max_first_table_size);
constexpr std::uint64_t growth = 4;

}  // namespace

CallEntry* claim_call(ChunkHeader* table, std::uint64_t from, std::uint64_t self) {
  if (table->used >= table->capacity / 8 * 7) return nullptr;
  CallEntry* entries = call_entries(table);
  const std::uint64_t mask = table->mask / sizeof(CallEntry);
  std::uint64_t place = (call_hash(from, self) >> index_shift) & mask;
  for (std::uint64_t tried = 0; tried <= mask; ++tried, place = (place + 1) & mask) {
    std::uint64_t free_place = 0;
    if (!__atomic_compare_exchange_n(&entries[place].from, &free_place, from, false,
                                     __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
      continue;
    }
    __atomic_store_n(&entries[place].self, self, __ATOMIC_RELEASE);
    count_one(&table->used);
    return &entries[place];
  }
  return nullptr;
}

ChunkHeader* larger_call_table(std::uint32_t slot, const ChunkHeader* previous) {
  const std::uint64_t capacity = previous == nullptr ? first_capacity : previous->capacity * growth;
  ChunkHeader* table =
      live::allocate(ChunkKind::arcs, slot, capacity * sizeof(CallEntry), capacity);
  if (table != nullptr) table->mask = (capacity - 1) * sizeof(CallEntry);
  return table;
}

}  // namespace gprof_runtime
