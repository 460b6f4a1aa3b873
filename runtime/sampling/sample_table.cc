#include "runtime/sampling/sample_table.h"

#include <cstdint>

#include "runtime/modules/modules.h"
#include "runtime/storage/live_file.h"

namespace gprof_runtime::sampler {
namespace {

constexpr std::uint64_t first_capacity = 128;

std::uint64_t hash_of(std::uint64_t pc, std::uint64_t epoch) {
  const std::uint64_t mixed = (pc ^ (epoch << 48)) * 0x9e3779b97f4a7c15;
  return mixed ^ (mixed >> 32);
}

// The place's entry, or a free one for it. Null if the table is full or does not exist.
SampleEntry* find(const SampleTable& table, std::uint64_t pc, std::uint64_t epoch) {
  const std::uint64_t mask = table.capacity - 1;  // capacities are powers of two
  std::uint64_t position = hash_of(pc, epoch);
  for (std::uint64_t probe = 0; probe < table.capacity; ++probe, ++position) {
    SampleEntry* entry = &table.entries[position & mask];
    if (entry->count == 0 || (entry->address == pc && entry->epoch == epoch)) return entry;
  }
  return nullptr;
}

// Starts a larger, empty table: readers add up all tables of a slot. If out of memory, the old one
// is used while it has room.
void grow(ThreadState* thread) {
  SampleTable& table = thread->samples;
  const std::uint64_t capacity = table.capacity == 0 ? first_capacity : table.capacity * 2;
  ChunkHeader* chunk =
      live::allocate(ChunkKind::samples, thread->slot, capacity * sizeof(SampleEntry), capacity);
  if (chunk != nullptr) table = {live::entries<SampleEntry>(chunk), capacity, 0};
}

}  // namespace

bool count_place(ThreadState* thread, std::uint64_t pc, std::uint64_t epoch, const Weight& weight) {
  SampleTable& table = thread->samples;
  SampleEntry* entry = find(table, pc, epoch);
  const bool known = entry != nullptr && entry->count != 0;
  if (!known && table.used * 2 >= table.capacity) {
    grow(thread);
    entry = find(table, pc, epoch);
  }
  if (entry == nullptr) return false;
  if (!known) {
    modules::of_address(pc);  // record it now: it may be unloaded when the profile is written
    entry->address = pc;
    entry->epoch = epoch;
    ++table.used;
  }
  // Readers consider an entry free until it has a count.
  entry->excess_variance += weight.excess_variance;
  __atomic_store_n(&entry->count, entry->count + weight.events, __ATOMIC_RELEASE);
  return true;
}

}  // namespace gprof_runtime::sampler
