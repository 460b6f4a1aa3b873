#include "runtime/sampling/stack_table.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <sys/mman.h>

#include "runtime/modules/modules.h"
#include "runtime/sampling/sliced_counts.h"
#include "runtime/storage/live_file.h"
#include "runtime/system/populate.h"
#include "runtime/system/syscalls.h"
#include "runtime/unwind/own_image.h"

namespace gprof_runtime::sampler {
namespace {

// The first chunk of a thread is small, because there may be thousands of threads. Each chunk is
// twice as large as the one before, up to the largest.
constexpr std::size_t first_chunk_size = chunk_alignment;
constexpr std::size_t largest_chunk_size = std::size_t{256} * 1024;

std::uint64_t* frames_of(StackRecord* record) {
  return reinterpret_cast<std::uint64_t*>(record + 1);
}

std::size_t size_of(std::uint32_t depth) {
  return sizeof(StackRecord) + depth * sizeof(std::uint64_t);
}

// A stack in stored form, in the thread's scratch memory.
struct Stack {
  const std::uint64_t* frames;
  std::uint32_t depth;
  std::uint32_t truncated;
  std::uint64_t epoch;
  std::uint32_t inferred_from;
};

std::uint64_t hash_of(const std::uint64_t* frames, std::uint32_t depth, std::uint64_t epoch) {
  std::uint64_t hash = epoch + depth;
  for (std::uint32_t i = 0; i < depth; ++i) {
    hash = (hash ^ frames[i]) * 0x9e3779b97f4a7c15;
    hash ^= hash >> 29;
  }
  return hash;
}

bool equal(StackRecord* record, const Stack& stack) {
  return record->depth == stack.depth && record->truncated == stack.truncated &&
         record->epoch == stack.epoch && record->inferred_from == stack.inferred_from &&
         __builtin_memcmp(frames_of(record), stack.frames, stack.depth * sizeof(std::uint64_t)) ==
             0;
}

// Walked frames are owed, and each sample pays for this many: on average walks are that short,
// while a single one may go to the outer end of a very deep stack.
constexpr std::uint64_t frames_a_sample = 2048;
constexpr std::uint64_t deepest_walk = std::uint64_t{1} << 21U;

// Null if the last walk was of another thread's stack or from an earlier epoch.
const WalkedStack* last_walk(ThreadState* thread, std::uint64_t epoch) {
  const StackWalks& walks = thread->walks;
  const bool same = walks.owner == thread->owner_number && walks.epoch == epoch;
  return same ? &walks.last() : nullptr;
}

std::uint64_t frames_to_walk(StackWalks& walks) {
  walks.frames_owed -= walks.frames_owed < frames_a_sample ? walks.frames_owed : frames_a_sample;
  return walks.frames_owed < deepest_walk ? frames_a_sample + deepest_walk - walks.frames_owed
                                          : frames_a_sample;
}

// Copies that the kernel makes for inferred callers take as long as a hundred frames each. In code
// that has rules there are none.
struct Copies {
  std::uint32_t of_walk;   // paid for such a walk
  std::uint32_t of_doubt;  // and for walks in doubt of the rules, which search the stack
};
// Samples that take long come the rarer (sample_clock.h). A wait comes at any time: it pays for
// fewer.
constexpr Copies copies_of_sample = {32, 512};
constexpr Copies copies_of_wait = {1, 2};
// The credit of a thread: what a single walk may copy beyond what was paid for it.
constexpr std::uint32_t most_copies = 1024;
constexpr std::uint32_t most_copies_in_doubt = 2048;

std::uint32_t copies_to_make(StackWalks& walks, const Copies& paid) {
  walks.copies_owed -= std::min(walks.copies_owed, paid.of_walk);
  walks.doubt_copies_owed -= std::min(walks.doubt_copies_owed, paid.of_doubt);
  return walks.copies_owed < most_copies ? paid.of_walk + most_copies - walks.copies_owed
                                         : paid.of_walk;
}

// How a walk ended.
enum class Outcome : std::uint8_t {
  whole,   // at the outermost frame
  unsure,  // the same, if a return address of 0 says so
  given_up,
  too_long,
};

// Subtracts the walked frames from `*frames_left`.
Outcome walk_outwards(WalkedStack& stack, const WalkedStack* known, Unwinder& unwinder,
                      ReadableMemory memory, std::uint32_t turn, std::uint64_t* frames_left) {
  WalkSearch search;
  while (unwinder.step()) {
    if (unwinder.left_signal_handler()) {
      // The previous frame is the one that the handler returns through; nobody called it.
      if (stack.frame_count() > 1) stack.pop();
      stack.forget_places();
      search = {};
    }
    if (stack_mark::is_mark(unwinder.pc())) return Outcome::given_up;
    if (*frames_left == 0) return Outcome::too_long;
    --*frames_left;
    // Readers look callers up one byte before their address. The frame that a signal interrupted
    // has called nothing: its address is that of an instruction.
    const std::uint64_t behind = unwinder.left_signal_handler() ? 1 : 0;
    stack.push(unwinder.pc() + behind, unwinder.left_signal_handler() ? 0 : unwinder.return_slot(),
               unwinder.inferred());
    if (known != nullptr && stack.join(*known, &search, &memory, turn)) {
      return stack.whole() ? Outcome::whole : Outcome::given_up;
    }
  }
  if (!unwinder.complete()) return Outcome::given_up;
  return unwinder.surely_complete() ? Outcome::whole : Outcome::unsure;
}

// Whether a walk that ended early is worth another one, in doubt of the rules. It is the rarer the
// less it has helped so far, and the more the last ones took.
bool is_doubt_due(StackWalks& walks) {
  if (walks.doubt_copies_owed != 0) return false;
  if (walks.doubt_in == 0) return true;
  --walks.doubt_in;
  return false;
}

void note_doubt(StackWalks& walks, bool helped) {
  constexpr std::uint32_t longest = 15;
  walks.doubt_distance = helped ? 0 : 2 * walks.doubt_distance + 1;
  if (walks.doubt_distance > longest) walks.doubt_distance = longest;
  walks.doubt_in = walks.doubt_distance;
}

// Walks from `start`, whose frame is at `first_pc`, and stores the stack in the thread's scratch
// memory.
Stack walk_from(ThreadState* thread, const Unwinder& start, std::uint64_t first_pc,
                const ReadableMemory& memory, std::uint64_t epoch, const Copies& paid) {
  StackWalks& walks = thread->walks;
  WalkedStack& stack = walks.stacks[walks.next];
  // The first walk's pages are present since the state was made.
  if (walks.turn == 1) populate(&stack, usual_walk);
  const WalkedStack* known = last_walk(thread, epoch);
  const std::uint64_t most_frames = frames_to_walk(walks);
  std::uint64_t frames_left = most_frames;
  const std::uint32_t allowed = copies_to_make(walks, paid);
  const auto walk_once = [&](Unwinder unwinder, std::uint32_t most, std::uint32_t* copies) {
    stack.clear();
    stack.push(first_pc, 0);
    const std::uint32_t before = unwinder.copies();
    unwinder.limit_copies(before + most);
    const Outcome outcome = walk_outwards(stack, known, unwinder, memory, walks.turn, &frames_left);
    *copies = unwinder.copies() - before;
    return outcome;
  };
  std::uint32_t copies = 0;
  std::uint32_t copies_of_doubt = 0;
  Outcome outcome = walk_once(start, allowed, &copies);
  const bool doubtful = outcome == Outcome::given_up || outcome == Outcome::unsure;
  if (doubtful && is_doubt_due(walks)) [[unlikely]] {
    if (known != nullptr && !known->whole()) known = nullptr;
    Unwinder in_doubt = start;
    in_doubt.doubt_rules();
    outcome = walk_once(in_doubt, most_copies_in_doubt, &copies_of_doubt);
    note_doubt(walks, outcome == Outcome::whole);
  }
  stack.set_whole(outcome == Outcome::whole || outcome == Outcome::unsure);
  walks.frames_owed += most_frames - frames_left;
  walks.copies_owed += copies;
  walks.doubt_copies_owed += copies_of_doubt;
  walks.next = 1 - walks.next;
  walks.owner = thread->owner_number;
  walks.epoch = epoch;
  ++walks.turn;
  std::uint32_t inferred_from = 0;
  const std::uint32_t depth = stack.store(thread->frames, longest_stored_stack, &inferred_from);
  return {thread->frames, depth, stack.whole() ? 0U : 1U, epoch, inferred_from};
}

Stack walk(ThreadState* thread, const Registers& registers, std::uint64_t epoch) {
  const ReadableMemory memory(registers.sp(), thread->left_stack);
  const Unwinder start(registers, true, &process_rules(), epoch, memory);
  return walk_from(thread, start, registers.pc, memory, epoch, copies_of_sample);
}

// From the call that led into the collector. Without frames if the walk does not get there.
Stack walk_from_call(ThreadState* thread, const Registers& registers, std::uint64_t epoch) {
  const ReadableMemory memory(registers.sp(), thread->left_stack);
  Unwinder unwinder(registers, true, &process_rules(), epoch, memory);
  do {
    if (!unwinder.step()) return {thread->frames, 0, 1, epoch, 0};
  } while (own_image::holds_code(unwinder.pc() - 1));
  return walk_from(thread, unwinder, unwinder.pc() - 1, memory, epoch, copies_of_wait);
}

// The index in use; capacities are powers of two.
struct StackIndex {
  StackRecord** places;
  std::uint64_t capacity;
};

StackIndex index_of(StackTable& table) {
  if (table.index == nullptr) return {table.first_index, StackTable::first_capacity};
  return {table.index, table.capacity};
}

StackRecord** find(StackTable& table, const Stack& stack, std::uint64_t hash) {
  const StackIndex index = index_of(table);
  const std::uint64_t mask = index.capacity - 1;
  for (std::uint64_t probe = 0; probe < index.capacity; ++probe) {
    StackRecord** place = &index.places[(hash + probe) & mask];
    if (*place == nullptr || equal(*place, stack)) return place;
  }
  return nullptr;
}

void insert_known(const StackIndex& index, StackRecord* record) {
  const std::uint64_t mask = index.capacity - 1;
  std::uint64_t position = hash_of(frames_of(record), record->depth, record->epoch);
  while (index.places[position & mask] != nullptr) ++position;
  index.places[position & mask] = record;
}

void unmap_index(const StackTable& table) {
  if (table.index == nullptr) return;
  sys::call(__NR_munmap, sys::word(table.index),
            static_cast<long>(table.capacity * sizeof(StackRecord*)));
}

// If out of memory, the old index is used while it has room.
void grow_index(StackTable* table) {
  // Threads that outgrow the first index usually have many stacks.
  constexpr std::uint64_t growth_of_first = 8;
  const StackIndex old = index_of(*table);
  const std::uint64_t capacity = old.capacity * (table->index == nullptr ? growth_of_first : 2);
  const sys::Result memory =
      sys::call(__NR_mmap, 0, static_cast<long>(capacity * sizeof(StackRecord*)),
                PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (sys::failed(memory)) return;
  const StackIndex larger = {reinterpret_cast<StackRecord**>(memory), capacity};
  for (std::uint64_t i = 0; i < old.capacity; ++i) {
    if (old.places[i] != nullptr) insert_known(larger, old.places[i]);
  }
  unmap_index(*table);
  table->index = larger.places;
  table->capacity = capacity;
}

// A chunk that has room for a record of the size. A place alone is no stack that can be given up:
// something is counted by it.
ChunkHeader* new_chunk(ThreadState* thread, std::size_t size, bool is_place) {
  const ChunkHeader* last = thread->stacks.chunk;
  std::size_t wanted = last == nullptr || is_place ? first_chunk_size : 2 * last->size;
  if (wanted > largest_chunk_size) wanted = largest_chunk_size;
  if (wanted < sizeof(ChunkHeader) + size) wanted = sizeof(ChunkHeader) + size;
  const std::size_t room = wanted - sizeof(ChunkHeader);
  const live::Need need = is_place ? live::Need::first : live::Need::stack;
  return live::allocate_for(need, ChunkKind::stacks, thread->slot, room, room);
}

// Appends to the slot's last chunk, or to a new one. Null if out of memory.
StackRecord* append(ThreadState* thread, const Stack& stack) {
  StackTable& table = thread->stacks;
  const std::size_t size = size_of(stack.depth);
  if (table.chunk == nullptr || table.chunk->used + size > table.chunk->capacity) {
    ChunkHeader* chunk = new_chunk(thread, size, stack.depth == 1);
    if (chunk == nullptr) return nullptr;
    table.chunk = chunk;
  }
  auto* record =
      reinterpret_cast<StackRecord*>(live::entries<char>(table.chunk) + table.chunk->used);
  record->epoch = stack.epoch;
  record->truncated = stack.truncated;
  record->inferred_from = stack.inferred_from;
  record->number = static_cast<std::uint32_t>(table.used);
  __builtin_memcpy(frames_of(record), stack.frames, stack.depth * sizeof(std::uint64_t));
  record->depth = stack.depth;
  return record;
}

// In the record itself if there is no memory for a count of its own.
void count_record(ThreadState* thread, StackRecord* record, std::uint64_t weight,
                  std::uint64_t elapsed) {
  const StackCount count = {.stack = record->number,
                            .thread = thread->record->number,
                            .slice = no_slice,
                            .unused = 0,
                            .count = weight};
  bool is_new = false;
  if (count_in_slice(thread->stacks.counts, ChunkKind::stack_counts, thread->slot, count, elapsed,
                     &is_new)) {
    return;
  }
  __atomic_store_n(&record->count, record->count + weight, __ATOMIC_RELEASE);
}

// Records them now, because modules may be unloaded when the profile is written.
void record_modules(const Stack& stack) {
  for (std::uint32_t i = 0; i < stack.depth; ++i) {
    if (!stack_mark::is_mark(stack.frames[i])) modules::of_address(stack.frames[i]);
  }
}

// The stack's record, an old or a new one; null if there is no memory.
StackRecord* record_of(ThreadState* thread, const Stack& stack) {
  const std::uint64_t hash = hash_of(stack.frames, stack.depth, stack.epoch);
  StackTable& table = thread->stacks;
  StackRecord** place = find(table, stack, hash);
  if (place != nullptr && *place != nullptr) return *place;
  if (table.used * 2 >= index_of(table).capacity) {
    grow_index(&table);
    place = find(table, stack, hash);
  }
  if (place == nullptr) return nullptr;
  StackRecord* record = append(thread, stack);
  if (record == nullptr) return nullptr;
  record_modules(stack);
  __atomic_store_n(&table.chunk->used, table.chunk->used + size_of(stack.depth), __ATOMIC_RELEASE);
  *place = record;
  ++table.used;
  return record;
}

}  // namespace

StackRecord* find_interrupted_stack(ThreadState* thread, const Registers& registers,
                                    std::uint64_t epoch) {
  return record_of(thread, walk(thread, registers, epoch));
}

bool count_stack(ThreadState* thread, const Registers& registers, std::uint64_t epoch,
                 std::uint64_t weight, std::uint64_t elapsed) {
  StackRecord* record = find_interrupted_stack(thread, registers, epoch);
  if (record == nullptr) return false;
  count_record(thread, record, weight, elapsed);
  return true;
}

StackRecord* find_calling_stack(ThreadState* thread, const Registers& registers,
                                std::uint64_t epoch) {
  Stack stack = walk_from_call(thread, registers, epoch);
  if (stack.depth == 0) return nullptr;
  StackRecord* record = record_of(thread, stack);
  if (record != nullptr || stack.depth == 1) return record;
  // No memory for the stack: the place remains.
  stack.depth = 1;
  stack.truncated = 1;
  return record_of(thread, stack);
}

StackRecord* find_placeless_stack(ThreadState* thread) {
  constexpr std::uint64_t nowhere = 0;
  return record_of(thread, {&nowhere, 1, 0, 0, 0});
}

void drop_stack_table(ThreadState* thread) {
  unmap_index(thread->stacks);
  thread->stacks = {};
}

}  // namespace gprof_runtime::sampler
