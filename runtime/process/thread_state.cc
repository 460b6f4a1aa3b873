#include "runtime/process/thread_state.h"

#include <cstddef>

#include <sys/mman.h>

#include "runtime/calls/call_table.h"
#include "runtime/calls/count_call.h"
#include "runtime/calls/retired_calls.h"
#include "runtime/process/lifecycle.h"
#include "runtime/process/lock.h"
#include "runtime/process/signal_block.h"
#include "runtime/process/thread_names.h"
#include "runtime/process/thread_times.h"
#include "runtime/sampling/clocks.h"
#include "runtime/sampling/sampler.h"
#include "runtime/sampling/stack_table.h"
#include "runtime/storage/live_file.h"
#include "runtime/storage/live_space.h"
#include "runtime/storage/process_facts.h"
#include "runtime/system/populate.h"
#include "runtime/system/vdso.h"
#include "runtime/waits/cpu_waits.h"

namespace gprof_runtime {

__thread ChunkHeader* current_calls __attribute__((tls_model("initial-exec"))) = nullptr;
__thread BlockCacheEntry* current_blocks __attribute__((tls_model("initial-exec"))) = nullptr;
__thread ThreadState* this_thread __attribute__((tls_model("initial-exec"))) = nullptr;

namespace {

// Maximum number of ended threads that are remembered.
constexpr std::uint32_t max_remembered_ends = 1024;
// Maximum time from a thread's release of its slot to its exit, in milliseconds. A thread that
// still exists later is sampled again: its last destructors may be expensive.
constexpr std::uint32_t max_ending_time = 2000;

// One per process; the lock guards all but `newest`, `given_back`, `running` and the ends.
struct State {
  Lock lock;
  ThreadState* newest;
  ThreadState* first_free;
  // Slots of ended threads, moved to the free ones by the next thread that needs a slot. A stack
  // without a lock: thousands of threads may end at once.
  ThreadState* given_back;
  std::uint32_t free_slots;
  std::uint32_t slots;
  std::uint32_t running;         // threads that have a slot
  ThreadState* first_unclaimed;  // of them, those that do not know it yet
  ChunkHeader* records;          // the chunk of kind `threads` being filled
  std::uint64_t record_count;
  // Threads that released their slots last: number << 32 | time in milliseconds; 0 is free.
  std::uint64_t ends[max_remembered_ends];
  std::uint32_t end_count;
};
State state;

constexpr std::size_t records_a_chunk =
    (24 * chunk_alignment - sizeof(ChunkHeader)) / sizeof(ThreadRecord);
// Threads beyond this limit reuse the record of their slot's previous owner: otherwise programs
// that keep creating threads would fill the disk with records.
constexpr std::uint64_t most_records = 65536;
// A thread takes over the slot of an ended one only if so many are free.
constexpr std::uint32_t most_free_slots = 64;

// Null if out of memory.
ThreadState* map_state() {
  const sys::Result memory = sys::call(__NR_mmap, 0, sizeof(ThreadState), PROT_READ | PROT_WRITE,
                                       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (sys::failed(memory)) return nullptr;
  auto* mapped = reinterpret_cast<ThreadState*>(memory);
  constexpr std::size_t usual_stack = 4096;  // that a walk needs
  constexpr std::size_t begin = offsetof(ThreadState, left_stack) - usual_stack;
  constexpr std::size_t end =
      offsetof(ThreadState, walks) + offsetof(StackWalks, stacks) + usual_walk;
  populate(mapped->own_stack + begin, end - begin);
  return mapped;
}

void unmap_state(ThreadState* thread) {
  if (thread != nullptr) sys::call(__NR_munmap, sys::word(thread), sizeof(ThreadState));
}

ThreadState* add_state(ThreadState* made) {
  if (made == nullptr) return nullptr;
  made->slot = state.slots++;
  made->older_chunks = live::newest();
  made->next = state.newest;
  __atomic_store_n(&state.newest, made, __ATOMIC_RELEASE);
  return made;
}

ThreadRecord* make_record() {
  if (state.records == nullptr || state.records->used == records_a_chunk) {
    ChunkHeader* chunk = live::allocate(ChunkKind::threads, 0,
                                        records_a_chunk * sizeof(ThreadRecord), records_a_chunk);
    if (chunk == nullptr) return nullptr;
    state.records = chunk;
  }
  ThreadRecord* record = live::entries<ThreadRecord>(state.records) + state.records->used++;
  record->number = static_cast<std::uint32_t>(state.record_count++);
  return record;
}

template <typename Entry>
std::uint64_t calls_in(ChunkHeader* chunk) {
  std::uint64_t calls = 0;
  const Entry* entries = live::entries<Entry>(chunk);
  for (std::uint64_t i = 0; i < chunk->capacity; ++i) {
    if (entries[i].from > retired_address && entries[i].self != 0) calls += entries[i].count;
  }
  return calls;
}

// Calls in libraries that have been unloaded, which few programs do.
std::uint64_t retired_calls_of_slot(const ThreadState& thread) {
  std::uint64_t calls = 0;
  for (ChunkHeader* chunk = live::newest(); chunk != thread.older_chunks;
       chunk = live::next(chunk)) {
    if (chunk->slot != thread.slot) continue;
    if (kind_of(*chunk) == ChunkKind::retired_arcs) calls += calls_in<CallEntry>(chunk);
    if (kind_of(*chunk) == ChunkKind::retired_through_arcs) calls += calls_in<ThroughEntry>(chunk);
  }
  return calls;
}

// Sum of the calls in all tables of the slot.
std::uint64_t calls_of_slot(const ThreadState& thread) {
  std::uint64_t calls = has_retired_calls() ? retired_calls_of_slot(thread) : 0;
  for (std::uint32_t i = 0; i < thread.call_tables.count; ++i) {
    calls += calls_in<CallEntry>(thread.call_tables.tables[i]);
  }
  for (std::uint32_t i = 0; i < thread.through_tables.count; ++i) {
    calls += calls_in<ThroughEntry>(thread.through_tables.tables[i]);
  }
  return calls;
}

void begin_record(ThreadState* thread, std::uint32_t number, std::uint64_t cpu_time) {
  ThreadRecord& record = *thread->record;
  if (record.ended == 0) {
    record.slot = thread->slot;
    record.calls_before = calls_of_slot(*thread);
  }
  record.ended = 0;
  record.cpu_time_before = cpu_time - record.cpu_time;
  record.start_time = realtime_nanoseconds();
  __atomic_store_n(&record.thread, number, __ATOMIC_RELEASE);
}

// Needs no lock.
void give_back(ThreadState* thread) {
  ThreadState* before = __atomic_load_n(&state.given_back, __ATOMIC_RELAXED);
  do {
    thread->next_free = before;
  } while (!__atomic_compare_exchange_n(&state.given_back, &before, thread, true, __ATOMIC_RELEASE,
                                        __ATOMIC_RELAXED));
}

// Moves the slots that were given back to the front of the free ones.
void collect_free_slots() {
  if (__atomic_load_n(&state.given_back, __ATOMIC_RELAXED) == nullptr) return;
  ThreadState* first = __atomic_exchange_n(&state.given_back, nullptr, __ATOMIC_ACQUIRE);
  ThreadState* last = nullptr;
  for (ThreadState* thread = first; thread != nullptr; thread = thread->next_free) {
    last = thread;
    ++state.free_slots;
  }
  if (last == nullptr) return;
  last->next_free = state.first_free;
  state.first_free = first;
}

// The slot that became free last, so that as few as possible have several threads.
ThreadState* take_over() {
  ThreadState* taken = state.first_free;
  if (taken == nullptr) return nullptr;
  state.first_free = taken->next_free;
  --state.free_slots;
  // Before the slot's tables have counts of another thread.
  __atomic_fetch_add(&live::header()->replacements, 1, __ATOMIC_SEQ_CST);
  return taken;
}

// Whether to make a new slot rather than reuse an ended thread's. Once the live file has reached
// its limit, only the tables of existing slots still have room.
bool needs_new_slot() {
  return __atomic_load_n(&state.free_slots, __ATOMIC_RELAXED) < most_free_slots &&
         !live::has_reached_limit();
}

// A slot with its record; null if out of memory. The caller holds the lock. `memory`: from
// map_state(), or null. The caller unmaps it unless it is returned.
ThreadState* take_slot(std::uint32_t thread, std::uint64_t cpu_time, ThreadState* memory) {
  collect_free_slots();
  ThreadState* taken = needs_new_slot() ? nullptr : take_over();
  if (taken == nullptr) taken = add_state(memory != nullptr ? memory : map_state());
  if (taken == nullptr) taken = take_over();
  if (taken == nullptr) return nullptr;
  if (taken->record == nullptr || state.record_count < most_records) {
    ThreadRecord* fresh = make_record();
    if (fresh != nullptr) taken->record = fresh;
  }
  if (taken->record == nullptr) {
    give_back(taken);
    return nullptr;
  }
  taken->timer = -1;
  taken->perf_event = -1;
  taken->in_sampler = 0;
  taken->waits.open.begun = 0;
  ++taken->owner_number;
  taken->unclaimed = 0;
  begin_record(taken, thread, cpu_time);
  __atomic_fetch_add(&state.running, 1, __ATOMIC_RELAXED);
  return taken;
}

// The state that another thread made for this one; null: none. The caller holds the lock.
ThreadState* take_unclaimed(std::uint32_t number) {
  for (ThreadState** place = &state.first_unclaimed; *place != nullptr;
       place = &(*place)->next_free) {
    ThreadState* thread = *place;
    if (number_of_running(*thread) != number) continue;
    *place = thread->next_free;
    __atomic_store_n(&thread->unclaimed, 0, __ATOMIC_RELAXED);
    return thread;
  }
  return nullptr;
}

std::uint32_t milliseconds_now() {
  return static_cast<std::uint32_t>(monotonic_time() / 1'000'000);
}

void note_end(std::uint32_t number) {
  const std::uint32_t place =
      __atomic_fetch_add(&state.end_count, 1, __ATOMIC_RELAXED) % max_remembered_ends;
  __atomic_store_n(&state.ends[place], std::uint64_t{number} << 32U | milliseconds_now(),
                   __ATOMIC_RELEASE);
}

// Whether the thread has released its slot but has not exited yet: it runs its last destructors, or
// waits for a CPU. The kernel may give its number to another thread after that.
bool is_ending(std::uint32_t number) {
  const std::uint32_t now = milliseconds_now();
  for (const std::uint64_t& end : state.ends) {
    const std::uint64_t known = __atomic_load_n(&end, __ATOMIC_ACQUIRE);
    if (known >> 32U == number && now - static_cast<std::uint32_t>(known) < max_ending_time) {
      return true;
    }
  }
  return false;
}

bool has_state(std::uint32_t number) {
  for (ThreadState* thread = state.newest; thread != nullptr; thread = thread->next) {
    if (number_of_running(*thread) == number) return true;
  }
  return false;
}

}  // namespace

ThreadState* acquire_thread() {
  if (this_thread != nullptr) return this_thread;
  if (!activate()) return nullptr;
  const SignalBlock block;
  if (this_thread != nullptr) return this_thread;
  // A child of vfork runs in its parent's memory, where it must not take a slot.
  if (!is_own_process()) return nullptr;
  const auto number = static_cast<std::uint32_t>(sys::call(__NR_gettid));
  // Mapped before taking the lock: mmap() is slow while many threads map memory.
  ThreadState* memory = needs_new_slot() ? map_state() : nullptr;
  const std::uint64_t cpu_time = sampler::thread_cpu_time();
  state.lock.acquire();
  ThreadState* taken = take_unclaimed(number);
  const bool was_adopted = taken != nullptr;
  if (taken == nullptr) taken = take_slot(number, cpu_time, memory);
  state.lock.release();
  if (taken != memory) unmap_state(memory);
  if (taken == nullptr) return nullptr;
  // The thread's own sources, as any other's.
  if (was_adopted) sampler::disarm_thread(taken);
  if (!was_adopted) waits::begin_cpu_waits(taken);
  note_own_name(taken->record);
  this_thread = taken;
  release_at_thread_end(ThreadPlace::anywhere);
  sampler::arm_thread(taken);
  return taken;
}

bool adopt_thread(std::uint32_t thread) {
  state.lock.acquire();
  ThreadState* made = nullptr;
  if (!has_state(thread) && !is_ending(thread)) {
    made = take_slot(thread, sampler::read_clock(sampler::cpu_clock_of(thread)), nullptr);
  }
  if (made != nullptr) {
    made->unclaimed = 1;
    made->next_free = state.first_unclaimed;
    state.first_unclaimed = made;
    note_name_of(thread, made->record);
    waits::begin_cpu_waits(made);
    sampler::arm_other_thread(made, thread);
  }
  state.lock.release();
  return made != nullptr;
}

ThreadState* claim_thread() {
  state.lock.acquire();
  ThreadState* taken = take_unclaimed(static_cast<std::uint32_t>(sys::call(__NR_gettid)));
  state.lock.release();
  if (taken == nullptr) return nullptr;
  this_thread = taken;
  // The thread may be about to end, its variables to go: what others write to them waits until it
  // counts a call, which it does no more by then.
  release_at_thread_end(ThreadPlace::in_handler);
  return taken;
}

std::uint32_t running_threads() { return __atomic_load_n(&state.running, __ATOMIC_RELAXED); }

std::uint32_t thread_slots() { return __atomic_load_n(&state.slots, __ATOMIC_RELAXED); }

void note_tables(ThreadState* thread) {
  thread->blocks_in_use = &current_blocks;
  __atomic_store_n(&thread->calls_in_use, &current_calls, __ATOMIC_RELEASE);
}

ChunkHeader* restore_call_table(ThreadState* thread) {
  // The one that the slot's last owner counted into, so that the next one finds its arcs.
  ChunkHeader* table = thread->call_tables.newest();
  note_tables(thread);
  if (counting_enabled != 0) current_calls = table;
  return table;
}

void take_call_tables() {
  const SignalBlock block;
  state.lock.acquire();
  for (ThreadState* thread = state.newest; thread != nullptr; thread = thread->next) {
    if (__atomic_load_n(&thread->calls_in_use, __ATOMIC_ACQUIRE) != nullptr) {
      __atomic_store_n(thread->calls_in_use, nullptr, __ATOMIC_RELAXED);
      __atomic_store_n(thread->blocks_in_use, nullptr, __ATOMIC_RELAXED);
    }
  }
  state.lock.release();
}

void release_thread() {
  const SignalBlock block;
  ThreadState* thread = this_thread;
  if (thread == nullptr || !is_own_process()) return;
  sampler::disarm_thread(thread);
  note_time_of_ended();
  waits::look_at_end(thread);
  if (thread->calls_in_use != nullptr) {
    // take_call_tables() must not write to the thread's variables after they are gone.
    state.lock.acquire();
    thread->calls_in_use = nullptr;
    state.lock.release();
  }
  this_thread = nullptr;
  current_calls = nullptr;
  current_blocks = nullptr;
  ThreadRecord& record = *thread->record;
  note_own_name(&record);
  record.calls = calls_of_slot(*thread) - record.calls_before;
  note_end(record.thread);
  __atomic_store_n(&record.ended, 1, __ATOMIC_RELEASE);
  __atomic_fetch_sub(&state.running, 1, __ATOMIC_RELAXED);
  give_back(thread);
}

void abandon_threads() {
  ThreadState* thread = state.newest;
  while (thread != nullptr) {
    ThreadState* next = thread->next;
    sampler::drop_stack_table(thread);
    unmap_state(thread);
    thread = next;
  }
  state = State{};
  this_thread = nullptr;
  current_calls = nullptr;
  current_blocks = nullptr;
}

ThreadState* all_threads() { return __atomic_load_n(&state.newest, __ATOMIC_ACQUIRE); }

}  // namespace gprof_runtime
