// Iterates over the chunks of the live tables while other threads write them.
//
// Thread contract: any thread, any signal handler.
#pragma once

#include <cstddef>
#include <cstdint>

#include "formats/live_file.h"
#include "runtime/output/anonymous_array.h"
#include "runtime/output/array_order.h"
#include "runtime/storage/live_file.h"

namespace gprof_runtime {

using namespace gprof_formats;

// Calls visit(chunk) for every chunk of one kind, newest first.
template <typename Visit>
void each_chunk(ChunkKind kind, Visit visit) {
  for (ChunkHeader* chunk = live::newest(); chunk != nullptr; chunk = live::next(chunk)) {
    if (kind_of(*chunk) == kind) visit(chunk);
  }
}

// Calls visit(chunk) for the valid table of each slot, of a kind whose tables replace one another.
// False if memory ran out.
template <typename Visit>
bool each_valid_table(ChunkKind kind, Visit visit) {
  struct Table {
    std::uint32_t slot;
    std::uint64_t edition;
    ChunkHeader* chunk;
  };
  AnonymousArray<Table> tables;
  each_chunk(kind, [&](ChunkHeader* chunk) {
    const std::uint64_t edition = __atomic_load_n(&edition_of(*chunk), __ATOMIC_ACQUIRE);
    if (edition != 0) tables.append({chunk->slot, edition, chunk});
  });
  sort(tables, [](const Table& a, const Table& b) {
    return a.slot != b.slot ? a.slot < b.slot : a.edition > b.edition;
  });
  drop_equal_neighbours(tables, [](const Table& a, const Table& b) { return a.slot == b.slot; });
  for (const Table& table : tables) visit(table.chunk);
  return tables.complete();
}

// Reads a number that its thread may be changing.
inline std::uint64_t read_live(const std::uint64_t& number) {
  return __atomic_load_n(&number, __ATOMIC_ACQUIRE);
}

// The number of entries to visit: all of a hash table, those in use of a dense chunk.
template <typename Entry>
std::size_t entries_in(const ChunkHeader* chunk, bool dense) {
  const std::uint64_t room = (chunk->size - sizeof(ChunkHeader)) / sizeof(Entry);
  return smaller(room, dense ? read_live(chunk->used) : chunk->capacity);
}

// The epoch of a chunk's contents; the current one if they are still loaded.
inline std::uint64_t epoch_of(const ChunkHeader* chunk, std::uint64_t current) {
  const std::uint64_t epoch = read_live(chunk->epoch);
  return epoch == still_loaded ? current : epoch;
}

}  // namespace gprof_runtime
