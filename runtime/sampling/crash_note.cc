#include "runtime/sampling/crash_note.h"

#include <signal.h>

#include "runtime/modules/modules.h"
#include "runtime/process/counted_program.h"
#include "runtime/process/lifecycle.h"
#include "runtime/process/own_stack.h"
#include "runtime/process/signal_block.h"
#include "runtime/process/thread_state.h"
#include "runtime/sampling/fatal_signals.h"
#include "runtime/sampling/stack_table.h"
#include "runtime/storage/live_file.h"
#include "runtime/system/readable.h"

namespace gprof_runtime::sampler {
namespace {

// True for the first thread that crashes. If another one crashes meanwhile, the process may end
// before the note is complete, and then there is none.
bool become_first(CrashNote& note) {
  auto expected = static_cast<std::uint32_t>(CrashState::none);
  return __atomic_compare_exchange_n(&note.state, &expected,
                                     static_cast<std::uint32_t>(CrashState::in_the_making), false,
                                     __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
}

// Null if the thread has no state and cannot have one, or is in the collector.
ThreadState* thread_to_walk() {
  ThreadState* thread = current_thread();
  if (thread == nullptr) thread = claim_thread();
  if (thread == nullptr) thread = acquire_thread();
  if (thread == nullptr || thread->record == nullptr || thread->in_sampler != 0) return nullptr;
  return thread;
}

// After a call through a bad pointer there is no frame to start from: the caller is what crashed.
// Sets `registers` to the last byte of the call.
void step_back_to_call(ThreadState* thread, Registers* registers) {
#if defined(__x86_64__)
  ReadableMemory memory(registers->sp(), thread->left_stack);
  std::uint64_t returns_to = 0;
  if (!memory.read(registers->sp(), &returns_to)) return;
  constexpr std::uint64_t popped = sizeof returns_to;
#else
  static_cast<void>(thread);
  constexpr unsigned link_register = 30;
  const std::uint64_t returns_to = registers->general[link_register];
  constexpr std::uint64_t popped = 0;
#endif
  if (returns_to == 0 || modules::of_address(returns_to - 1) == nullptr) return;
  registers->pc = returns_to - 1;
  registers->general[stack_register] += popped;
}

void finish_note(CrashNote& note, const Crash& crash, const ThreadState& thread,
                 const StackRecord* stack) {
  if (stack == nullptr) return;
  note.signal = crash.signal;
  note.code = crash.code;
  note.address = crash.address;
  note.thread = thread.record->number;
  note.slot = thread.slot;
  note.stack = stack->number;
  __atomic_store_n(&note.state, static_cast<std::uint32_t>(CrashState::noted), __ATOMIC_RELEASE);
}

// `find(thread)`: the stack, called on the collector's own.
template <typename Find>
void note_once(const Crash& crash, const Find& find) {
  if (!is_active() || !is_own_process() || !wants_stacks()) return;
  ThreadState* thread = thread_to_walk();
  CrashNote& note = live::header()->crash;
  if (thread == nullptr || !become_first(note)) return;
  auto work = [&] { finish_note(note, crash, *thread, find(thread)); };
  run_on_own_stack(thread, work);
}

}  // namespace

void note_crash(const Crash& crash, const Registers& registers) {
  note_once(crash, [&](ThreadState* thread) {
    Registers from = registers;
    if (crash.address == from.pc && modules::of_address(from.pc) == nullptr) {
      step_back_to_call(thread, &from);
    }
    return find_interrupted_stack(thread, from, modules::epoch());
  });
}

void note_abort(const Registers& registers) {
  const SignalBlock block;
  // A handler may jump away, and the program go on.
  if (program_handles(SIGABRT)) return;
  note_once(Crash{.signal = SIGABRT, .code = SI_TKILL}, [&](ThreadState* thread) {
    return find_calling_stack(thread, registers, modules::epoch());
  });
}

}  // namespace gprof_runtime::sampler
