// The collector's state of a thread: its tables in the live file, and their bookkeeping.
//
// A slot is a set of tables with one owner at a time. A thread takes a slot at its first counted
// call or sample and releases it when it ends. While few slots are free, each thread gets one of
// its own, so that it is known whose calls it has; then threads take over those of ended ones, with
// the same tables. So the counts of ended threads are never copied, and programs that keep creating
// threads take no more memory. Samples say themselves whose they are.
//
// Ownership: states are anonymous memory, freed only in a forked child. Thread contract: a state
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

// The origin of a call into profiled code from outside it: see calls/via_uninstrumented.h.
struct ThroughContext {
  static constexpr std::size_t checked_slots = 4;
  std::uint64_t from;
  std::uint64_t self;
  std::uint64_t stack;  // where `from` was on the stack
  std::uint64_t slots[checked_slots];
  std::uint64_t values[checked_slots];
  ThroughEntry* entry;
  std::uint64_t validity;  // identifies the thread and the epoch it was found in
};

struct BlockCacheEntry {
  std::uint64_t page;  // pc / block_page_span, 0 for none
  std::uint64_t* counts;
};

// All tables of a slot that calls of one kind are counted in, the oldest first. Each is several
// times as large as the one before.
struct CallTables {
  static constexpr std::uint32_t most = 24;
  ChunkHeader* tables[most];
  std::uint32_t count;

  void add(ChunkHeader* table) {
    if (count == most) return;
    tables[count] = table;
    __atomic_store_n(&count, count + 1, __ATOMIC_RELEASE);
  }
  [[nodiscard]] ChunkHeader* newest() const { return count != 0 ? tables[count - 1] : nullptr; }
};

// See sampling/sliced_counts.h.
struct SlicedTable {
  ChunkHeader* chunk;  // the valid table
  ChunkHeader* spare;  // an earlier one, whose memory may be used again
  std::uint64_t used;  // entries
};

struct StackTable {
  static constexpr std::size_t first_capacity = 64;
  // Open addressing by the hash of the frames; anonymous memory. Null while `first_index` is used.
  StackRecord** index;
  std::uint64_t capacity;  // of `index`
  std::uint64_t used;
  ChunkHeader* chunk;  // records are appended to it
  SlicedTable counts;
  StackRecord* first_index[first_capacity];
};

// A call that waits and was seen before: the stack that it has, as long as its callers are the
// same. See waits/wait_sites.h.
struct WaitSite {
  static constexpr std::size_t checked_slots = 4;
  std::uint64_t place;                 // the return address of the call, 0: none
  std::uint64_t frame;                 // and where its frame is
  std::uint64_t slots[checked_slots];  // of return addresses further out; 0: none
  std::uint64_t values[checked_slots];
  std::uint64_t epoch;
  std::uint32_t owner;  // ThreadState::owner_number
  std::uint32_t stack;  // StackRecord::number
  // What was waited there last, for whom, and the tables that both are in; null: nothing.
  WaitCount* count;
  ChunkHeader* chunk;
  HolderCount* holder;
  ChunkHeader* holder_chunk;
};

// A wait that has begun: whether the thread is still in it, nobody knows.
struct OpenWait {
  std::uint64_t begun;  // CLOCK_MONOTONIC; 0: none
  std::uint64_t pc;     // in the function that waits; the registers then
  std::uint64_t stack;
  std::uint64_t frame;
  std::uint64_t counted;  // up to when it was counted by somebody else
  std::uint16_t function;
  std::uint16_t kind;
};

// How long the thread waits for a CPU. See waits/cpu_waits.h.
struct CpuWaits {
  std::uint32_t in_use;  // a thread is looking at the account
  std::uint64_t begun;   // CLOCK_MONOTONIC when the account was opened
  std::uint64_t looked;  // CLOCK_MONOTONIC of the last look; 0: there is no account
  std::uint64_t pause;   // until the next look
  std::uint64_t delay;   // then, as all of these in nanoseconds: the kernel's figures,
  std::uint64_t cpu_time;
  std::uint64_t waited;    // and `measured` with `counted_open`
  std::uint64_t measured;  // by the clock, of all waits so far
  std::uint64_t excess;    // of that, to be taken off the next waits
};

// See waits/.
struct ThreadWaits {
  static constexpr std::size_t site_count = 32;
  SlicedTable counts;
  SlicedTable holders;
  std::uint64_t recorded;      // nanoseconds, of all waits so far
  std::uint64_t counted_open;  // the same, by other threads while this one waited
  std::uint64_t switches;      // the thread's voluntary context switches when last asked; 0: never
  std::uint32_t prepared;      // 1 once prepare_to_wait() has run for the slot
  CpuWaits cpu;
  OpenWait open;
  WaitSite sites[site_count];
};

// See sampling/switch_cost.h.
struct SwitchWindow {
  std::uint64_t begun;     // the thread's CPU time
  std::uint64_t begun_at;  // monotonic_time()
  std::uint64_t switches;  // its context switches up to then
  std::uint32_t returns;   // how often it got an event again
  std::uint32_t on_ticks;  // 1: it has no event because of its switches
};

// The state of a thread's sampling clock: see sampling/sample_clock.h. Times are nanoseconds of the
// thread's CPU clock.
struct SampleClock {
  sampler::RandomState random;
  std::uint64_t interval;  // until perf's next event; 0: it is not running
  std::uint64_t events;    // that it will represent
  std::uint64_t started;   // when the interval began
  std::uint64_t passed;    // part of the interval known to be covered
  std::uint64_t looked;    // time of the last tick
  std::uint64_t ticked;    // 1: nothing but a tick has happened since then; the beginning is none
  std::uint64_t sleeps;    // the thread's voluntary context switches up to then
  std::uint64_t ticks;     // what the kernel's ticks have counted for it up to then
  std::uint64_t kernel_time;  // of which in the kernel
  std::int64_t unplaced;      // what events have passed over, less what ticks have placed of it
  std::uint64_t owed;         // what kernel ticks stand for that have not placed anything yet
  std::uint64_t switches;     // all its context switches up to then
  std::uint64_t taken;        // what the collector takes for a sample: a moving average
  SwitchWindow window;
  std::uint32_t user_ticks;  // ticks in a row beside which no time in the kernel was seen
  std::uint32_t stride;      // ticks from one signal of the thread's timer to the next
};

// Several times what a walk needs.
inline constexpr std::size_t own_stack_size = 32768;
inline constexpr std::size_t block_cache_size = 256;
inline constexpr std::size_t through_cache_size = 256;
// Addresses and marks stored per stack.
inline constexpr std::size_t longest_stored_stack = 512;

// Bytes of a WalkedStack that most walks use.
inline constexpr std::size_t usual_walk = 2048;

// The last walk of a thread's stack, and the one in progress.
struct StackWalks {
  std::uint32_t next;         // index of the stack for the next walk; the other has the last one
  std::uint32_t turn;         // walks so far
  std::uint32_t owner;        // ThreadState::owner_number and
  std::uint64_t epoch;        // modules::epoch() of the last walk
  std::uint64_t frames_owed;  // walked, but not paid for yet
  // Made for inferred callers, likewise; by walks in doubt of the rules as well.
  std::uint32_t copies_owed;
  std::uint32_t doubt_copies_owed;
  // Walks that end early and are not made once more in doubt of the rules: still, and after the
  // last time that this did not help.
  std::uint32_t doubt_in;
  std::uint32_t doubt_distance;
  WalkedStack stacks[2];

  [[nodiscard]] const WalkedStack& last() const { return stacks[1 - next]; }
};

// The fields that every thread writes are contiguous, from the top of its own stack to the start of
// the first walk, so that one call makes their pages present.
struct ThreadState {
  alignas(16) std::uint8_t own_stack[own_stack_size];  // first: an overflow hits nothing of ours
  std::uint64_t left_stack;  // a frame on the stack that run_on_own_stack() was last called from

  std::uint32_t slot;
  std::uint32_t in_sampler;    // the sample handler is running
  std::uint32_t owner_number;  // how many threads have had the slot
  std::uint32_t unclaimed;     // made by another thread, and not yet taken by its own
  ThreadRecord* record;
  ChunkHeader** calls_in_use;       // the owner's current_calls; null until it counts
  BlockCacheEntry** blocks_in_use;  // and current_blocks
  const ChunkHeader* older_chunks;  // those from here on are older than the slot
  ThreadState* next_free;           // the next free or unclaimed state
  ThreadState* next;                // in all_threads()

  SampleClock clock;
  SlicedTable samples;
  StackTable stacks;
  std::int64_t timer;       // kernel timer id, -1 for none
  std::int32_t perf_event;  // file descriptor, -1 for none
  std::int32_t holds_slot;

  CallTables call_tables;
  CallTables through_tables;
  ThroughEntry* through_entries;
  std::uint64_t through_capacity;
  std::uint64_t through_used;

  ThreadWaits waits;
  std::uint64_t frames[longest_stored_stack];  // the sampler's scratch
  StackWalks walks;

  ThroughContext through_contexts[through_cache_size];
  BlockCacheEntry blocks[block_cache_size];
};

// The current thread's table of arcs, a chunk of kind `arcs`; all that the fast path needs, see
// calls/call_table.h. Null before the first table exists and while counting is off.
extern __thread ChunkHeader* current_calls asm("gprof_runtime_current_calls")
    __attribute__((tls_model("initial-exec"), visibility("hidden")));

// The current thread's ThreadState::blocks, or null; always null while counting is off.
extern __thread BlockCacheEntry* current_blocks asm("gprof_runtime_current_blocks")
    __attribute__((tls_model("initial-exec"), visibility("hidden")));

extern __thread ThreadState* this_thread asm("gprof_runtime_this_thread")
    __attribute__((tls_model("initial-exec"), visibility("hidden")));  // only for current_thread()

// The current thread's state; null before its first counted call or sample.
inline ThreadState* current_thread() { return this_thread; }

// The current thread's state, created on demand: activates the collector in the process and arms
// the thread's timer. Null if out of memory, or in a child that shares its parent's memory (vfork).
ThreadState* acquire_thread();

// Makes a state for another thread of the process that has none, and arms its timer. With every
// signal blocked. Returns false if the thread has a state, is ending, or memory runs out.
bool adopt_thread(std::uint32_t thread);
// In a signal handler of a thread that was adopted: the thread's state, from now on its own; null
// if it was not adopted.
ThreadState* claim_thread();

// The number, as gettid(), of the thread that has the slot; 0: none.
inline std::uint32_t number_of_running(const ThreadState& thread) {
  const ThreadRecord* record = __atomic_load_n(&thread.record, __ATOMIC_ACQUIRE);
  if (record == nullptr || __atomic_load_n(&record->ended, __ATOMIC_ACQUIRE) != 0) return 0;
  return __atomic_load_n(&record->thread, __ATOMIC_ACQUIRE);
}
// How many threads have a state.
std::uint32_t running_threads();
// How many states there are, of running threads and of ended ones.
std::uint32_t thread_slots();

// Takes the call tables and block caches away from all threads, which turns counting off. A thread
// that is just getting a table checks counting_enabled afterwards.
void take_call_tables();

// From now on, take_call_tables() takes them away from the current thread, too.
void note_tables(ThreadState* thread);

// Gives the current thread its table back.
ChunkHeader* restore_call_table(ThreadState* thread);

// Releases the current thread's slot; called when the thread ends.
void release_thread();

// In a forked child: drops the parent's states. Another thread of the parent may have been adding
// one, which is lost.
void abandon_threads();

// Every state ever created in this process, newest first; follow `next`.
ThreadState* all_threads();

}  // namespace gprof_runtime
