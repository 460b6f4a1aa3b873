#include "runtime/calls/count_call.h"

#include "runtime/calls/call_table.h"
#include "runtime/calls/through.h"
#include "runtime/modules/modules.h"
#include "runtime/process/thread_state.h"
#include "runtime/storage/live_file.h"
#include "runtime/system/vector_guard.h"

namespace gprof_runtime {

std::uint8_t counting_enabled = 1;

namespace {

void count_lost() {
  if (LiveHeader* header = live::header(); header != nullptr) {
    __atomic_fetch_add(&header->lost_calls, 1, __ATOMIC_RELAXED);
  }
}

bool is_set(const ModuleRecord* module, std::uint32_t flags) {
  return module != nullptr && (__atomic_load_n(&module->flags, __ATOMIC_RELAXED) & flags) != 0;
}

// Whether the call came through code whose own callers are not counted, or out of a library into
// the executable, whose gmon file can only hold callers of its own.
bool came_through(const ModuleRecord* caller, const ModuleRecord* callee) {
  if (caller == callee) return false;
  return is_set(callee, module_main) || !is_set(caller, module_profiled | module_main);
}

CallEntry* entry_of(ThreadState* thread, std::uint64_t from, std::uint64_t self) {
  // A handler that interrupts may replace the table, so it is read anew each time.
  for (int attempt = 0; attempt < 3; ++attempt) {
    ChunkHeader* table = current_calls;
    if (table == nullptr) table = restore_call_table(thread);
    if (table != nullptr) {
      if (CallEntry* known = find_call(table, from, self); known != nullptr) return known;
      if (!is_half_full(*table)) {
        if (CallEntry* fresh = claim_call(table, from, self); fresh != nullptr) return fresh;
      }
    }
    ChunkHeader* larger = larger_call_table(thread->slot, table);
    if (larger == nullptr) return table != nullptr ? claim_call(table, from, self) : nullptr;
    current_calls = larger;
    // Counting may have been ended meanwhile, by another thread that takes all tables.
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    if (counting_enabled == 0) current_calls = nullptr;
  }
  return nullptr;
}

}  // namespace

void count_call(std::uint64_t from, std::uint64_t self, std::uint64_t stack,
                const Registers* registers) {
  // 0 and 1 mark entries of the tables; no call returns there.
  if (counting_enabled == 0 || from <= retired_address) return;
  ThreadState* thread = current_thread();
  if (thread == nullptr) {
    const VectorGuard guard;
    thread = acquire_thread();
  }
  if (thread == nullptr) return count_lost();
  if (count_through_known(thread, from, self, stack)) return;
  const VectorGuard guard;
  ModuleRecord* callee = modules::of_address(self);
  if (callee != nullptr && !is_set(callee, module_profiled)) {
    __atomic_fetch_or(&callee->flags, module_profiled, __ATOMIC_RELAXED);
  }
  const ModuleRecord* caller = modules::of_address(from);
  if (came_through(caller, callee)) {
    if (!count_through(thread, Call{from, self, stack}, callee, registers)) count_lost();
    return;
  }
  CallEntry* entry = entry_of(thread, from, self);
  if (entry == nullptr) return count_lost();
  count_one(&entry->count);
}

}  // namespace gprof_runtime
