#include "runtime/calls/retired_calls.h"

#include "runtime/modules/modules.h"
#include "runtime/storage/live_file.h"

namespace gprof_runtime {
namespace {

bool any_retired = false;

// Whether the address belonged to a module unloaded at the end of the epoch.
bool is_gone(std::uint64_t address, std::uint64_t ended_epoch) {
  if (address == 0) return false;
  const ModuleRecord* module = modules::in_epoch(address, ended_epoch);
  return module != nullptr && module->unload_epoch == ended_epoch;
}

bool is_gone(const CallEntry& entry, std::uint64_t ended_epoch) {
  return is_gone(entry.from, ended_epoch) || is_gone(entry.self, ended_epoch);
}

bool is_gone(const ThroughEntry& entry, std::uint64_t ended_epoch) {
  return is_gone(entry.from, ended_epoch) || is_gone(entry.self, ended_epoch) ||
         is_gone(entry.profiled_caller, ended_epoch) || is_gone(entry.via, ended_epoch);
}

template <typename Entry>
bool is_used(const Entry& entry) {
  return entry.from > retired_address && entry.self != 0;
}

template <typename Entry>
void retire_entries(ChunkHeader* table, ChunkKind kind, std::uint64_t ended_epoch) {
  Entry* entries = live::entries<Entry>(table);
  std::uint64_t count = 0;
  for (std::uint64_t i = 0; i < table->capacity; ++i) {
    if (is_used(entries[i]) && is_gone(entries[i], ended_epoch)) ++count;
  }
  if (count == 0) return;
  ChunkHeader* retired = live::allocate(kind, table->slot, count * sizeof(Entry), count);
  if (retired == nullptr) return;
  retired->epoch = ended_epoch;
  __atomic_store_n(&any_retired, true, __ATOMIC_RELEASE);
  Entry* moved = live::entries<Entry>(retired);
  for (std::uint64_t i = 0; i < table->capacity && retired->used < count; ++i) {
    if (!is_used(entries[i]) || !is_gone(entries[i], ended_epoch)) continue;
    moved[retired->used] = entries[i];
    ++retired->used;
    __atomic_store_n(&entries[i].from, retired_address, __ATOMIC_RELAXED);
  }
}

}  // namespace

bool has_retired_calls() { return __atomic_load_n(&any_retired, __ATOMIC_ACQUIRE); }

void retire_calls(std::uint64_t ended_epoch) {
  for (ChunkHeader* chunk = live::newest(); chunk != nullptr; chunk = live::next(chunk)) {
    if (kind_of(*chunk) == ChunkKind::arcs) {
      retire_entries<CallEntry>(chunk, ChunkKind::retired_arcs, ended_epoch);
    } else if (kind_of(*chunk) == ChunkKind::through_arcs) {
      retire_entries<ThroughEntry>(chunk, ChunkKind::retired_through_arcs, ended_epoch);
    }
  }
}

}  // namespace gprof_runtime
