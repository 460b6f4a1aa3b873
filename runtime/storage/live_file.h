// Memory for counts that outlives the process: chunks of gmon.live.PID, mapped shared.
//
// Without a file, or space for it, chunks are anonymous memory and the header says that the file is
// incomplete. What both may take is limited (live_limit.h): chunks are refused by what they are
// for, and the header says so. Chunks are never freed before the process ends or forks.
//
// Thread contract: start() and abandon() with one thread and signals blocked; everything else from
// any thread and any signal handler.
#pragma once

#include <cstddef>
#include <cstdint>

#include "formats/live_file.h"
#include "runtime/storage/live_limit.h"
#include "runtime/storage/live_path.h"

namespace gprof_runtime {

using namespace gprof_formats;

namespace live {

// Creates the file in the directory requested by `record`, or the current one; if that is
// impossible, a header in memory. False only if out of memory: then nothing can be counted.
bool start();

extern LiveHeader* current_header __attribute__((visibility("hidden")));  // only for header()

// The header; null before start().
inline LiveHeader* header() { return current_header; }

// Tables up to this size count as a thread's first ones, which the limit refuses last.
inline constexpr std::size_t max_first_table_size = 4096;

// A chunk with `payload` zero bytes after its header and `capacity` set; null if out of memory, or
// if the limit leaves none for its kind. Readers can find the chunk immediately, before the caller
// has filled it.
ChunkHeader* allocate(ChunkKind kind, std::uint32_t slot, std::size_t payload,
                      std::uint64_t capacity);
// The same for a need that is not the usual one of the kind.
ChunkHeader* allocate_for(Need need, ChunkKind kind, std::uint32_t slot, std::size_t payload,
                          std::uint64_t capacity);

// All chunks, newest first: follow next().
ChunkHeader* newest();
inline ChunkHeader* next(const ChunkHeader* chunk) {
  return reinterpret_cast<ChunkHeader*>(chunk->next);
}
template <typename Entry>
Entry* entries(ChunkHeader* chunk) {
  return reinterpret_cast<Entry*>(chunk + 1);
}

// Reserves space that needs no system calls, before the program forbids itself some.
void reserve_for_filter();

// Drops everything without touching the file: for a forked child, which creates its own.
void abandon();

}  // namespace live
}  // namespace gprof_runtime
