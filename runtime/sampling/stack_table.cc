#include "runtime/sampling/stack_table.h"

#include <cstddef>
#include <cstdint>

#include <sys/mman.h>

#include "runtime/modules/modules.h"
#include "runtime/storage/live_file.h"
#include "runtime/system/syscalls.h"

namespace gprof_runtime::sampler {
namespace {

constexpr std::uint64_t first_index_capacity = 512;
constexpr std::size_t first_chunk_size = std::size_t{64} * 1024;
constexpr std::size_t chunk_size = std::size_t{256} * 1024;

std::uint64_t* frames_of(StackRecord* record) {
  return reinterpret_cast<std::uint64_t*>(record + 1);
}

std::size_t size_of(std::uint32_t depth) {
  return sizeof(StackRecord) + depth * sizeof(std::uint64_t);
}

// A stack as it was found, in the thread's scratch memory.
struct Stack {
  const std::uint64_t* frames;
  std::uint32_t depth;
  std::uint32_t truncated;
  std::uint64_t epoch;
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
         record->epoch == stack.epoch &&
         __builtin_memcmp(frames_of(record), stack.frames, stack.depth * sizeof(std::uint64_t)) ==
             0;
}

Stack walk(ThreadState* thread, const Registers& registers, std::uint64_t epoch) {
  Unwinder unwinder(registers, true, &thread->sampler_unwind_rules, epoch);
  std::uint64_t* frames = thread->frames;
  std::uint32_t depth = 0;
  frames[depth++] = registers.pc;
  bool more = true;
  while ((more = unwinder.step())) {
    // The frame before is the one through which the handler returns; it was called by nobody.
    if (unwinder.left_signal_handler() && depth > 1) --depth;
    if (depth == deepest_stack) break;
    frames[depth++] = unwinder.pc();
  }
  const bool whole = !more && unwinder.complete();
  return {frames, depth, whole ? 0U : 1U, epoch};
}

StackRecord** find(const StackTable& table, const Stack& stack, std::uint64_t hash) {
  const std::uint64_t mask = table.capacity - 1;  // capacities are powers of two
  for (std::uint64_t probe = 0; probe < table.capacity; ++probe) {
    StackRecord** place = &table.index[(hash + probe) & mask];
    if (*place == nullptr || equal(*place, stack)) return place;
  }
  return nullptr;
}

void insert_known(StackRecord** index, std::uint64_t capacity, StackRecord* record) {
  const std::uint64_t mask = capacity - 1;
  std::uint64_t position = hash_of(frames_of(record), record->depth, record->epoch);
  while (index[position & mask] != nullptr) ++position;
  index[position & mask] = record;
}

// Without memory the old index goes on as long as it has room.
void grow_index(StackTable* table) {
  const std::uint64_t capacity = table->capacity == 0 ? first_index_capacity : table->capacity * 2;
  const sys::Result memory =
      sys::call(__NR_mmap, 0, static_cast<long>(capacity * sizeof(StackRecord*)),
                PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (sys::failed(memory)) return;
  auto** index = reinterpret_cast<StackRecord**>(memory);
  for (std::uint64_t i = 0; i < table->capacity; ++i) {
    if (table->index[i] != nullptr) insert_known(index, capacity, table->index[i]);
  }
  if (table->index != nullptr) {
    sys::call(__NR_munmap, sys::word(table->index),
              static_cast<long>(table->capacity * sizeof(StackRecord*)));
  }
  table->index = index;
  table->capacity = capacity;
}

// Room at the end of the slot's last chunk, or in a new one. Null without memory.
StackRecord* append(ThreadState* thread, const Stack& stack) {
  StackTable& table = thread->stacks;
  const std::size_t size = size_of(stack.depth);
  if (table.chunk == nullptr || table.chunk->used + size > table.chunk->capacity) {
    const std::size_t wanted =
        (table.chunk == nullptr ? first_chunk_size : chunk_size) - sizeof(ChunkHeader);
    ChunkHeader* chunk = live::allocate(ChunkKind::stacks, thread->slot, wanted, wanted);
    if (chunk == nullptr) return nullptr;
    table.chunk = chunk;
  }
  auto* record =
      reinterpret_cast<StackRecord*>(live::entries<char>(table.chunk) + table.chunk->used);
  record->epoch = stack.epoch;
  record->truncated = stack.truncated;
  __builtin_memcpy(frames_of(record), stack.frames, stack.depth * sizeof(std::uint64_t));
  record->depth = stack.depth;
  return record;
}

// Modules may be unloaded when the profile is written.
void record_modules(const Stack& stack) {
  for (std::uint32_t i = 0; i < stack.depth; ++i) modules::of_address(stack.frames[i]);
}

}  // namespace

bool count_stack(ThreadState* thread, const Registers& registers, std::uint64_t epoch,
                 std::uint64_t weight) {
  const Stack stack = walk(thread, registers, epoch);
  const std::uint64_t hash = hash_of(stack.frames, stack.depth, stack.epoch);
  StackTable& table = thread->stacks;
  StackRecord** place = find(table, stack, hash);
  if (place != nullptr && *place != nullptr) {
    __atomic_store_n(&(*place)->count, (*place)->count + weight, __ATOMIC_RELEASE);
    return true;
  }
  if (table.used * 2 >= table.capacity) {
    grow_index(&table);
    place = find(table, stack, hash);
  }
  if (place == nullptr) return false;
  StackRecord* record = append(thread, stack);
  if (record == nullptr) return false;
  record_modules(stack);
  __atomic_store_n(&record->count, weight, __ATOMIC_RELEASE);
  __atomic_store_n(&table.chunk->used, table.chunk->used + size_of(stack.depth), __ATOMIC_RELEASE);
  *place = record;
  ++table.used;
  return true;
}

void drop_stack_table(ThreadState* thread) {
  StackTable& table = thread->stacks;
  if (table.index != nullptr) {
    sys::call(__NR_munmap, sys::word(table.index),
              static_cast<long>(table.capacity * sizeof(StackRecord*)));
  }
  table = {};
}

}  // namespace gprof_runtime::sampler
