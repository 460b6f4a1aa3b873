// Memory for counts that outlives the process: chunks of gmon.live.PID, mapped shared.
//
// Disk space is reserved before it is mapped, because a full disk would otherwise end the program
// with SIGBUS. Without a file or space, chunks are anonymous memory and the header says that the
// file is incomplete. No file descriptor is kept open, because a program may close or reuse any
// number. Chunks are never freed before the process ends or forks.
//
// Thread contract: start() and abandon() with one thread and signals blocked; everything else from
// any thread and any signal handler.
#pragma once

#include <cstddef>
#include <cstdint>

#include "formats/live_file.h"

namespace gprof_runtime {

using namespace gprof_formats;

namespace live {

// Creates the file in the directory requested by `record`, or the current one; if that is
// impossible, a header in memory. False only if out of memory: then nothing can be counted.
bool start();

extern LiveHeader* current_header __attribute__((visibility("hidden")));  // only for header()

// The header; null before start().
inline LiveHeader* header() { return current_header; }

// A chunk with `payload` zero bytes after its header and `capacity` set; null if out of memory.
// Readers can find the chunk immediately, before the caller has filled it.
ChunkHeader* allocate(ChunkKind kind, std::uint32_t slot, std::size_t payload,
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

// The directory that the program started in, and the file's path (empty if there is no file).
const char* start_directory();
const char* path();

// Removes the file, but not the memory. Call after the profile was written.
void remove_file();

// Drops everything without touching the file: for a forked child, which creates its own.
void abandon();

}  // namespace live
}  // namespace gprof_runtime
