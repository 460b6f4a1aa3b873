// What the collector keeps of a thread: its tables in the live file, and what goes with them.
//
// A slot is a set of tables with one user at a time. A thread takes a slot at its first counted
// call or sample, and gives it back when it ends; the next thread goes on with the same tables. So
// the counts of threads that have ended are never copied, and a thread that comes finds the arcs of
// the one before it in place.
//
// Ownership: states are anonymous memory, freed in a forked child alone. Thread contract: a state
// belongs to the thread that holds its slot and the signal handlers that interrupt it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "formats/live_file.h"
#include "runtime/sampling/random_events.h"
#include "runtime/unwind/unwinder.h"
#include "runtime/unwind/walked_stack.h"

namespace gprof_runtime {

using namespace gprof_formats;

// Where a thread that calls into profiled code from outside of it came from: see calls/through.h.
struct ThroughContext {
  static constexpr std::size_t checked_slots = 4;
  std::uint64_t from;
  std::uint64_t self;
  std::uint64_t stack;  // where `from` was on the stack
  std::uint64_t slots[checked_slots];
  std::uint64_t values[checked_slots];
  ThroughEntry* entry;
  std::uint64_t validity;  // of the thread and the epoch in which it was found
};

struct BlockCacheEntry {
  std::uint64_t page;  // pc / block_page_span, 0 for none
  std::uint64_t* counts;
};

struct SampleTable {
  SampleEntry* entries;
  std::uint64_t capacity;
  std::uint64_t used;
};

struct StackTable {
  StackRecord** index;  // open addressing by the hash of the frames; anonymous memory
  std::uint64_t capacity;
  std::uint64_t used;
  ChunkHeader* chunk;  // to which records are appended
};

// Where the sampling clock of a thread stands: see sampling/sample_clock.h. Times are nanoseconds
// of the thread's CPU clock.
struct SampleClock {
  sampler::RandomState random;
  std::uint64_t interval;  // after which perf's event is to strike; 0: it is not running
  std::uint64_t events;    // that it will stand for
  std::uint64_t started;   // when the interval began
  std::uint64_t passed;    // of the interval, as far as it was noted to be covered
  std::uint64_t looked;    // when a tick struck last
  std::uint64_t sleeps;    // how often the thread had gone to sleep then,
  std::uint64_t switches;  // and how often it had gone from its processor at all
};

// Several times what a walk takes.
inline constexpr std::size_t own_stack_size = 32768;
inline constexpr std::size_t block_cache_size = 256;
inline constexpr std::size_t through_cache_size = 256;
// Addresses and marks that are stored of one stack.
inline constexpr std::size_t longest_stored_stack = 512;

// The last walk of a thread's stack, and the one that is being made.
struct StackWalks {
  WalkedStack stacks[2];
  std::uint32_t newest;       // which of them is the last whole walk
  std::uint32_t turn;         // walks so far
  std::uint32_t owner;        // ThreadState::owner_number and
  std::uint64_t epoch;        // modules::epoch() of the last walk
  std::uint64_t frames_owed;  // that were walked, and not paid for yet
};

struct ThreadState {
  alignas(16) std::uint8_t own_stack[own_stack_size];  // first, so that it ends in nothing of ours
  std::uint64_t left_stack;  // a frame on the stack from which run_on_own_stack() was called last

  std::uint32_t slot;
  std::uint32_t in_sampler;    // the sample handler is running
  std::uint32_t owner_number;  // how many threads have had the slot
  ThreadRecord* record;
  ChunkHeader** calls_in_use;       // the owner's current_calls
  BlockCacheEntry** blocks_in_use;  // and current_blocks
  ThreadState* next_free;
  ThreadState* next;  // in all_threads()

  SampleClock clock;
  SampleTable samples;
  StackTable stacks;
  std::uint64_t frames[longest_stored_stack];  // the sampler's scratch
  StackWalks walks;
  std::int64_t timer;       // kernel timer id, -1 for none
  std::int32_t perf_event;  // file descriptor, -1 for none
  std::int32_t holds_slot;

  ThroughEntry* through_entries;
  std::uint64_t through_capacity;
  std::uint64_t through_used;
  ThroughContext through_contexts[through_cache_size];

  BlockCacheEntry blocks[block_cache_size];
  RuleCache unwind_rules;          // of the call counter
  RuleCache sampler_unwind_rules;  // of the sample handler
};

// The current thread's table of arcs: a chunk of kind `arcs`, or null. The one thing that the fast
// path needs; see calls/call_table.h. Null, too, while counting is off.
extern __thread ChunkHeader* current_calls asm("gprof_runtime_current_calls")
    __attribute__((tls_model("initial-exec"), visibility("hidden")));

// The current thread's ThreadState::blocks, or null; null, too, while counting is off.
extern __thread BlockCacheEntry* current_blocks asm("gprof_runtime_current_blocks")
    __attribute__((tls_model("initial-exec"), visibility("hidden")));

extern __thread ThreadState* this_thread asm("gprof_runtime_this_thread")
    __attribute__((tls_model("initial-exec"), visibility("hidden")));  // for current_thread() alone

// The current thread's, or null before its first counted call or sample.
inline ThreadState* current_thread() { return this_thread; }

// The current thread's, made on demand: activates the collector in the process and arms the
// thread's timer. Null when there is no memory, or in a child that shares its parent's memory
// (vfork).
ThreadState* acquire_thread();

// Counting is off while no thread has a table: takes tables and caches of blocks from all threads.
// A thread that is just getting one looks at counting_enabled afterwards.
void take_call_tables();

// The current thread's table again, after it was taken.
ChunkHeader* restore_call_table(ThreadState* thread);

// Gives the current thread's slot back; at the end of the thread.
void release_thread();

// In a forked child: the states are the parent's.
void abandon_threads();

// Around a fork: no thread is in the middle of taking or giving back a slot. Signals are blocked.
void hold_threads();
void let_threads_go();

// Calls of all tables of the slot.
std::uint64_t calls_of_slot(std::uint32_t slot);

// Every state that was ever made in this process, newest first; follow `next`.
ThreadState* all_threads();

}  // namespace gprof_runtime
