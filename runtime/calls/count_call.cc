#include "runtime/calls/count_call.h"

#include "runtime/calls/call_table.h"
#include "runtime/calls/via_uninstrumented.h"
#include "runtime/modules/modules.h"
#include "runtime/process/counted_program.h"
#include "runtime/process/own_stack.h"
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

// Whether the call came via uninstrumented code, or from a library into the executable, whose gmon
// file can only hold callers within the executable.
bool came_through(const ModuleRecord* caller, const ModuleRecord* callee) {
  if (caller == callee) return false;
  return is_set(callee, module_flags::main) ||
         !is_set(caller, module_flags::profiled | module_flags::main);
}

// There is no memory for another table. What was counted in an earlier one goes on being counted;
// a new arc takes what room the last one has.
CallEntry* entry_in_full_tables(const ThreadState* thread, ChunkHeader* last, std::uint64_t from,
                                std::uint64_t self) {
  for (std::uint32_t i = thread->call_tables.count; i-- > 0;) {
    CallEntry* known = find_call(thread->call_tables.tables[i], from, self);
    if (known != nullptr) return known;
  }
  return last != nullptr ? claim_call(last, from, self) : nullptr;
}

CallEntry* entry_of(ThreadState* thread, std::uint64_t from, std::uint64_t self) {
  // A signal handler may replace the table, so each attempt reads it again.
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
    if (larger == nullptr) return entry_in_full_tables(thread, table, from, self);
    thread->call_tables.add(larger);
    current_calls = larger;
    // Another thread may have turned counting off meanwhile and taken all tables.
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    if (counting_enabled == 0) current_calls = nullptr;
  }
  return nullptr;
}

// Counts the call if everything needed for that is already known.
bool count_at_hand(ThreadState* thread, const Call& call) {
  const ModuleRecord* callee = modules::recorded(call.self);
  const ModuleRecord* caller = modules::recorded(call.from);
  return callee != nullptr && caller != nullptr && is_set(callee, module_flags::profiled) &&
         came_through(caller, callee) && count_through_at_hand(thread, call, callee);
}

bool count_in_full(ThreadState* thread, const Call& call) {
  const VectorGuard guard;
  ModuleRecord* callee = modules::of_address(call.self);
  if (callee != nullptr && !is_set(callee, module_flags::profiled)) {
    begin_counting();
    __atomic_fetch_or(&callee->flags, module_flags::profiled, __ATOMIC_RELAXED);
  }
  if (came_through(modules::of_address(call.from), callee)) {
    return count_through(thread, call, callee);
  }
  CallEntry* entry = entry_of(thread, call.from, call.self);
  if (entry != nullptr) count_one(&entry->count);
  return entry != nullptr;
}

[[gnu::noinline]] ThreadState* first_call_of_thread() {
  const VectorGuard guard;
  return acquire_thread();
}

[[gnu::noinline]] void count_on_own_stack(ThreadState* thread, const Call& call) {
  bool counted = false;
  auto count = [&] { counted = count_in_full(thread, call); };
  run_blocked_on_own_stack(thread, count);
  if (!counted) count_lost();
}

}  // namespace

void count_call(std::uint64_t from, std::uint64_t self, std::uint64_t stack,
                const Registers& registers) {
  // 0 and 1 mark free and retired entries; no call returns there.
  if (counting_enabled == 0 || from <= retired_address) return;
  ThreadState* thread = current_thread();
  if (thread == nullptr) thread = first_call_of_thread();
  if (thread == nullptr) return count_lost();
  if (count_through_known(thread, from, self, stack)) return;
  const Call call = {from, self, stack, &registers};
  if (!count_at_hand(thread, call)) count_on_own_stack(thread, call);
}

}  // namespace gprof_runtime
