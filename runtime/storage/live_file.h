// Memory for counts that outlives the process: chunks of gmon.live.PID, mapped shared.
//
// Space is reserved on the disk before it is mapped (a full disk would else end the program with
// SIGBUS); where there is no file or no space, chunks are anonymous memory, and the header says
// that the file is incomplete. No file descriptor is kept open: a program may close or reuse any
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

// Makes the file in the directory that `record` asks for, else in the current one; or, where that
// is not possible, a header in memory. False only when there is no memory at all: nothing can be
// counted then.
bool start();

extern LiveHeader* current_header __attribute__((visibility("hidden")));  // for header() alone

// The header; null before start().
inline LiveHeader* header() { return current_header; }

// A chunk with `payload` bytes after its header, zero-filled, `capacity` set. Null when there is no
// memory left. Readers find the chunk at once; it is to be filled before they need it.
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

// Before the program forbids itself system calls: space to count in that needs none.
void reserve_for_filter();

// The directory in which the program started, the file's own path (empty where there is none).
const char* start_directory();
const char* path();

// Removes the file, not the memory. After the profile was written.
void remove_file();

// Lets go of everything, without touching the file: for a forked child, which starts its own.
void abandon();

}  // namespace live
}  // namespace gprof_runtime
