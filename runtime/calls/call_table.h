// The hash tables that calls are counted in. One thread, with the signal handlers that interrupt
// it, writes a table; any thread may read it.
//
// Entries never move. A half-full table is followed by a larger, empty one, in which arcs get a new
// entry when they are next counted; readers add up all tables. So an increment interrupted by a
// signal handler never hits an entry that has been copied away. An arc's count may be spread over
// several entries, even within a table: an entry's `from` is claimed before its `self` is written,
// and a handler running between the two creates another entry for the same arc.
//
// The place of an arc (the fast path in arch/ repeats it): with
//   h = (rotate(self, 32) + from) * hash_factor   (mod 2^64)
// probing starts at byte (h >> 37) & mask of the entries and wraps around. The callees of one
// indirect call, and the callers of one function, lie at regular distances: the rotation keeps them
// from cancelling each other out, and the bits from 42 on depend on all that differs.
//
// Thread contract: as above; only the thread that owns the table calls the functions here.
#pragma once

#include <cstdint>

#include "formats/live_file.h"

namespace gprof_runtime {

using namespace gprof_formats;

inline constexpr std::uint64_t hash_factor = 0x9e3779b97f4a7c15;
inline constexpr unsigned hash_shift = 37;
inline constexpr unsigned index_shift = hash_shift + 5;  // an entry has 2^5 bytes

inline std::uint64_t call_hash(std::uint64_t from, std::uint64_t self) {
  return ((self << 32 | self >> 32) + from) * hash_factor;
}

// Increments a counter without losing the increments of signal handlers of this thread. No other
// thread writes the counter.
inline void count_one(std::uint64_t* counter) {
#if defined(__x86_64__)
  asm volatile("incq %0" : "+m"(*counter));
#else
  // The exclusive pair guards against signals, not threads: a signal clears the reservation.
  std::uint64_t value = 0;
  std::uint32_t failed = 0;
  asm volatile(
      "1: ldxr %0, %2\n"
      "   add %0, %0, #1\n"
      "   stxr %w1, %0, %2\n"
      "   cbnz %w1, 1b"
      : "=&r"(value), "=&r"(failed), "+Q"(*counter)
      :
      : "memory");
#endif
}

inline CallEntry* call_entries(ChunkHeader* table) {
  return reinterpret_cast<CallEntry*>(table + 1);
}

// The entry of the arc, or null.
inline CallEntry* find_call(ChunkHeader* table, std::uint64_t from, std::uint64_t self) {
  CallEntry* entries = call_entries(table);
  const std::uint64_t mask = table->mask / sizeof(CallEntry);
  std::uint64_t place = (call_hash(from, self) >> index_shift) & mask;
  for (std::uint64_t tried = 0; tried <= mask; ++tried, place = (place + 1) & mask) {
    CallEntry& entry = entries[place];
    if (entry.from == from && entry.self == self) return &entry;
    if (entry.from == 0) return nullptr;
  }
  return nullptr;
}

// A new entry for the arc, with count 0; null if the table is seven eighths full: the fast path's
// search ends only at a free entry.
CallEntry* claim_call(ChunkHeader* table, std::uint64_t from, std::uint64_t self);

// Whether a larger table should follow before another entry is claimed.
inline bool is_half_full(const ChunkHeader& table) { return table.used >= table.capacity / 2; }

// A new, empty table for the slot, larger than `previous` (may be null); null if out of memory.
ChunkHeader* larger_call_table(std::uint32_t slot, const ChunkHeader* previous);

}  // namespace gprof_runtime
