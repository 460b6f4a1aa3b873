// What threads waited, in the live file: by stack, function, thread and slice of time, and by who
// had the lock that was waited for.
//
// Units: nanoseconds. Thread contract: the thread that holds the slot, with every signal blocked;
// others may read. What there is no memory for is left out.
#pragma once

#include <cstdint>

#include "runtime/process/thread_state.h"

namespace gprof_runtime::waits {

// A wait may be long: it is shared out over at most so many slices, evenly spaced over its time.
inline constexpr std::uint64_t most_pieces = 64;

// Allocates the tables that counting the thread's waits needs.
void make_tables(ThreadState* thread);

struct EndedWait {
  std::uint32_t stack;   // StackRecord::number, of the slot that it is counted in
  std::uint32_t thread;  // ThreadRecord::number of who waited
  std::uint16_t function;
  std::uint16_t kind;
  std::uint64_t waited;  // not 0
  std::uint64_t ended;   // monotonic_time()
  // If not 0: the time, up to the end, that `waited` is spread over, as part of no single wait.
  std::uint64_t over = 0;
};

// In the slot of `counting`. Returns where it is counted, if that is one place and there was
// memory.
WaitCount* add_wait(ThreadState* counting, const EndedWait& wait);
// Adds the wait to one that was counted in the chunk; false if it is of another stack, thread,
// function or slice. Signals need not be blocked.
bool add_to_counted(const ChunkHeader& chunk, WaitCount& count, const EndedWait& wait);
// Returns where it is counted; null if there was no memory.
HolderCount* add_holder(ThreadState* counting, const HolderCount& holder);
// As add_to_counted(), in two steps: whether it may be added, and adding it.
bool is_same_holder(const HolderCount& count, const HolderCount& holder);
void add_to_holder(HolderCount& count, const HolderCount& holder);

}  // namespace gprof_runtime::waits
