// Hash tables of counts by thread and slice of time, in the live file: for samples by place, for
// samples by stack, and for waits.
//
// A slot has one table of a kind. If it is full, or slices have become wider, another one takes its
// place: the counts are added up in it, with the slices that the run has now, and then its edition
// makes it the valid one. Until that the old one is, which stays as it is: so there is exactly one
// valid table at any instant, even if the process is killed there. The memory of the last one but
// one is used again, which the header's `replacements` announces before. All of it is bounded
// however long the run is: beyond `most_table_bytes`, slices are widened rather than tables.
//
// Thread contract: the thread that holds the slot, with every signal blocked; others may read, and
// set counts to 0 between begin_reset() and end_reset().
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "formats/gmon_rules.h"
#include "runtime/process/thread_state.h"
#include "runtime/sampling/timeline.h"
#include "runtime/storage/live_file.h"
#include "runtime/storage/live_space.h"

namespace gprof_runtime::sampler {

// Capacity of the first table: small, because there may be thousands of threads.
template <typename Entry>
inline constexpr std::uint64_t first_table_capacity =
    std::bit_floor((chunk_alignment - sizeof(ChunkHeader)) / sizeof(Entry));
// Two waits and the delays around them, each in as few pieces as there may be.
template <>
inline constexpr std::uint64_t first_table_capacity<WaitCount> = 32;
// Of all tables of the process, from which on slices are widened instead, as long as
inline constexpr std::uint64_t most_table_bytes = std::uint64_t{64} << 20U;
// a table has at least so many entries, and the run so many slices: fewer if there are many tables.
inline constexpr std::uint64_t fair_table_capacity = 4096;
inline constexpr std::uint64_t least_fair_capacity = 128;
inline constexpr std::uint64_t fewest_slices = 256;
inline constexpr std::uint64_t fewest_slices_of_many = 32;
// Slices times tables, from which on there are fewer slices.
inline constexpr std::uint64_t fair_cells = 65536;

namespace sliced_counts {

// Bytes of all tables so far.
extern std::uint64_t table_bytes __attribute__((visibility("hidden")));
// How many slots have a table, by kind.
extern std::uint64_t tables __attribute__((visibility("hidden")));
// Odd while counts are being set to 0.
extern std::uint32_t resets __attribute__((visibility("hidden")));

inline std::uint64_t mixed(std::uint64_t number) {
  number *= 0x9e3779b97f4a7c15;
  return number ^ (number >> 32U);
}
inline std::uint64_t hash_of(const SampleEntry& entry) {
  const std::uint64_t when = std::uint64_t{entry.thread} << 32U | entry.slice;
  return mixed(mixed(entry.address ^ (entry.epoch << 48U)) + when);
}
inline std::uint64_t hash_of(const StackCount& entry) {
  const std::uint64_t when = std::uint64_t{entry.thread} << 32U | entry.slice;
  return mixed(mixed(entry.stack) + when);
}
inline std::uint64_t hash_of(const WaitCount& entry) {
  const std::uint64_t when = std::uint64_t{entry.thread} << 32U | entry.slice;
  return mixed(mixed(std::uint64_t{entry.function} << 32U | entry.stack) + when);
}
inline std::uint64_t hash_of(const HolderCount& entry) {
  const std::uint64_t holder = std::uint64_t{entry.holder_slot} << 32U | entry.holder_stack;
  return mixed(mixed(std::uint64_t{entry.function} << 32U | entry.stack) + holder);
}

inline bool same_key(const SampleEntry& a, const SampleEntry& b) {
  return a.address == b.address && a.epoch == b.epoch && a.thread == b.thread && a.slice == b.slice;
}
inline bool same_key(const StackCount& a, const StackCount& b) {
  return a.stack == b.stack && a.thread == b.thread && a.slice == b.slice;
}
inline bool same_key(const WaitCount& a, const WaitCount& b) {
  return a.stack == b.stack && a.thread == b.thread && a.slice == b.slice &&
         a.function == b.function && a.kind == b.kind;
}
inline bool same_key(const HolderCount& a, const HolderCount& b) {
  return a.stack == b.stack && a.function == b.function && a.kind == b.kind &&
         a.holder_slot == b.holder_slot && a.holder_stack == b.holder_stack;
}

// What an entry counts besides `count`.
inline void add_excess(SampleEntry& to, const SampleEntry& from) {
  to.excess_variance += from.excess_variance;
  to.kernel_count += from.kernel_count;
}
inline void add_excess(StackCount& /*to*/, const StackCount& /*from*/) {}
inline void add_excess(WaitCount& to, const WaitCount& from) {
  to.times += from.times;
  if (from.longest > to.longest) to.longest = from.longest;
}
inline void add_excess(HolderCount& to, const HolderCount& from) { to.times += from.times; }

// The key's entry, or a free one for it. Null if the table is full.
template <typename Entry>
Entry* find(ChunkHeader* chunk, const Entry& wanted) {
  auto* entries = live::entries<Entry>(chunk);
  const std::uint64_t mask = chunk->capacity - 1;  // capacities are powers of two
  std::uint64_t position = hash_of(wanted);
  for (std::uint64_t probe = 0; probe <= mask; ++probe, ++position) {
    Entry* entry = &entries[position & mask];
    if (entry->count == 0 || same_key(*entry, wanted)) return entry;
  }
  return nullptr;
}

// To what find() found; false if that is null.
template <typename Entry>
bool add(SlicedTable& table, Entry* entry, const Entry& added) {
  if (entry == nullptr) return false;
  const std::uint64_t count = entry->count;
  if (count == 0) {
    Entry fresh = added;
    fresh.count = 0;
    *entry = fresh;
    ++table.used;
  } else {
    add_excess(*entry, added);
  }
  // Readers consider an entry free until it has a count.
  __atomic_store_n(&entry->count, count + added.count, __ATOMIC_RELEASE);
  return true;
}

// An empty table of at least that capacity, which is not valid yet; null if out of memory.
template <typename Entry>
ChunkHeader* empty_table(SlicedTable& table, ChunkKind kind, std::uint32_t slot,
                         std::uint64_t capacity) {
  ChunkHeader* spare = table.spare;
  if (spare == nullptr || spare->capacity < capacity) {
    ChunkHeader* made = live::allocate(kind, slot, capacity * sizeof(Entry), capacity);
    if (made != nullptr) __atomic_fetch_add(&table_bytes, made->size, __ATOMIC_RELAXED);
    return made;
  }
  __atomic_fetch_add(&live::header()->replacements, 1, __ATOMIC_SEQ_CST);
  __atomic_store_n(&edition_of(*spare), 0, __ATOMIC_RELAXED);
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  __builtin_memset(live::entries<Entry>(spare), 0, spare->capacity * sizeof(Entry));
  table.spare = nullptr;
  return spare;
}

template <typename Entry>
void clear_counts(ChunkHeader* chunk) {
  auto* entries = live::entries<Entry>(chunk);
  for (std::uint64_t i = 0; i < chunk->capacity; ++i) {
    __atomic_store_n(&entries[i].count, 0, __ATOMIC_RELAXED);
  }
}

// Puts a table of that capacity and slice width in the place of the current one. If out of memory,
// the current one stays.
template <typename Entry>
void replace(SlicedTable& table, ChunkKind kind, std::uint32_t slot, std::uint64_t capacity,
             std::uint64_t width) {
  ChunkHeader* chunk = empty_table<Entry>(table, kind, slot, capacity);
  if (chunk == nullptr) return;
  const std::uint32_t resets_before = __atomic_load_n(&resets, __ATOMIC_SEQ_CST);
  ChunkHeader* old = table.chunk;
  const std::uint64_t old_used = table.used;
  table.used = 0;
  slice_width_of(*chunk) = width;
  bool whole = true;
  for (std::uint64_t i = 0; old != nullptr && i < old->capacity && whole; ++i) {
    Entry entry = live::entries<Entry>(old)[i];
    if (entry.count == 0) continue;
    entry.slice = joined_slice(entry.slice, slice_width_of(*old), width);
    whole = add(table, find(chunk, entry), entry);
  }
  if (!whole) {  // it had more entries than it counted itself: somebody else writes into the file
    table.used = old_used;
    return;
  }
  __atomic_store_n(&edition_of(*chunk), old != nullptr ? edition_of(*old) + 1 : 1,
                   __ATOMIC_RELEASE);
  table.chunk = chunk;
  if (table.spare == nullptr || (old != nullptr && old->capacity > table.spare->capacity)) {
    table.spare = old;
  }
  const std::uint32_t resets_after = __atomic_load_n(&resets, __ATOMIC_SEQ_CST);
  if (resets_after != resets_before || resets_before % 2 != 0) clear_counts<Entry>(chunk);
}

inline bool is_nearly_full(const SlicedTable& table) {
  return table.used * 4 >= table.chunk->capacity * 3;
}

// Between `least` and `most`.
inline std::uint64_t share_of(std::uint64_t all, std::uint64_t least, std::uint64_t most) {
  const std::uint64_t tables_now = __atomic_load_n(&tables, __ATOMIC_RELAXED);
  const std::uint64_t share = tables_now != 0 ? all / tables_now : most;
  if (share < least) return least;
  return share < most ? share : most;
}

// Whether to join slices rather than to make a larger table.
inline bool is_to_be_widened(const ChunkHeader& chunk, std::uint64_t elapsed) {
  // With its predecessors, a table takes about this much for each entry.
  constexpr std::uint64_t bytes_an_entry = 100;
  const std::uint64_t limit = live::current_limit() / 4;
  const std::uint64_t most_bytes = limit < most_table_bytes ? limit : most_table_bytes;
  const std::uint64_t fair =
      share_of(most_bytes / bytes_an_entry, least_fair_capacity, fair_table_capacity);
  const std::uint64_t slices = share_of(fair_cells, fewest_slices_of_many, fewest_slices);
  return __atomic_load_n(&table_bytes, __ATOMIC_RELAXED) + 2 * chunk.size > most_bytes &&
         chunk.capacity >= fair && elapsed != unknown_time && slice_width_of(chunk) != 0 &&
         elapsed / slice_width_of(chunk) >= slices;
}

// An entry that differs from the wanted one in its slice alone.
template <typename Entry>
Entry* find_at_any_time(ChunkHeader* chunk, Entry wanted) {
  auto* entries = live::entries<Entry>(chunk);
  for (std::uint64_t i = 0; i < chunk->capacity; ++i) {
    wanted.slice = entries[i].slice;
    if (entries[i].count != 0 && same_key(entries[i], wanted)) return &entries[i];
  }
  return nullptr;
}

// A table whose slices have that width, in the place of one that has others, or none. False if
// there is no memory for the first one.
template <typename Entry>
bool prepare(SlicedTable& table, ChunkKind kind, std::uint32_t slot, std::uint64_t width) {
  const ChunkHeader* before = table.chunk;
  if (before != nullptr && slice_width_of(*before) == width) [[likely]]
    return true;
  const std::uint64_t capacity = before != nullptr ? before->capacity : first_table_capacity<Entry>;
  replace<Entry>(table, kind, slot, capacity, width);
  if (table.chunk == nullptr) return false;
  if (before == nullptr) __atomic_fetch_add(&tables, 1, __ATOMIC_RELAXED);
  return true;
}

template <typename Entry>
void make_room(SlicedTable& table, ChunkKind kind, std::uint32_t slot, std::uint64_t elapsed) {
  const ChunkHeader& full = *table.chunk;
  if (!is_to_be_widened(full, elapsed)) {
    return replace<Entry>(table, kind, slot, full.capacity * 2, slice_width_of(full));
  }
  widen_slices(slice_width_of(full));
  replace<Entry>(table, kind, slot, full.capacity, slice_width_at(elapsed));
}

}  // namespace sliced_counts

// Adds `added`, whose slice is that of the time. False if there is no memory. `is_new`: there was
// nothing with its key yet.
template <typename Entry>
bool count_in_slice(SlicedTable& table, ChunkKind kind, std::uint32_t slot, Entry added,
                    std::uint64_t elapsed, bool* is_new) {
  using namespace sliced_counts;
  if (!prepare<Entry>(table, kind, slot, slice_width_at(elapsed))) return false;
  added.slice = slice_at(elapsed, slice_width_of(*table.chunk));
  Entry* entry = find(table.chunk, added);
  *is_new = entry == nullptr || entry->count == 0;
  if (*is_new && is_nearly_full(table)) {
    make_room<Entry>(table, kind, slot, elapsed);
    added.slice = slice_at(elapsed, slice_width_of(*table.chunk));
    entry = find(table.chunk, added);
    const bool still_new = entry == nullptr || entry->count == 0;
    if (still_new && is_nearly_full(table)) {
      // There was no memory: the time is given up, as long as that keeps the count.
      added.slice = no_slice;
      entry = find(table.chunk, added);
      if (entry == nullptr) entry = find_at_any_time(table.chunk, added);
    }
  }
  return add(table, entry, added);
}

// Around setting counts to 0, by any thread.
inline void begin_reset() { __atomic_add_fetch(&sliced_counts::resets, 1, __ATOMIC_SEQ_CST); }
inline void end_reset() { __atomic_add_fetch(&sliced_counts::resets, 1, __ATOMIC_SEQ_CST); }

// In a forked child.
void abandon_sliced_counts();

}  // namespace gprof_runtime::sampler
