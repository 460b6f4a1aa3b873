// One wait, from its beginning to its end, and the tables that it is counted in.
//
// What a wait costs that is not one: two reads of the clock. Only calls that take longer than
// `shortest_wait` are counted, with every signal blocked and on the collector's own stack.
//
// A thread's waits never overlap: what a signal handler waits, or another function that waits and
// is called by the first one, is not counted again in the wait that it interrupts.
//
// Units: nanoseconds. Thread contract: the thread that waits, in signal handlers too. Nothing here
// fails: a wait that there is no memory for is left out.
#pragma once

#include <cstdint>

#include "runtime/process/thread_state.h"
#include "runtime/system/vdso.h"
#include "runtime/unwind/current_registers.h"
#include "runtime/waits/wait_function.h"

namespace gprof_runtime::waits {

// What takes less is no wait, but the time that the kernel takes for what it was asked for, which
// samples show.
inline constexpr std::uint64_t shortest_wait = 5000;

// Where a lock was taken: StackRecord::number of a slot; known if not 0.
struct Holder {
  std::uint32_t known = 0;
  std::uint32_t slot = 0;
  std::uint32_t stack = 0;
};

struct Wait {
  Function function;
  WaitKind kind;
  std::uint64_t begun;     // monotonic_time(); 0: not measured
  std::uint64_t recorded;  // ThreadWaits::recorded at the beginning
  std::uint64_t place;     // the return address of the call
};

// The registers from which another thread can walk the stack of this one while it waits here.
[[gnu::always_inline]] inline void note_open(OpenWait& open, Function function, WaitKind kind,
                                             std::uint64_t begun) {
  open.function = static_cast<std::uint16_t>(number_of(function));
  open.kind = static_cast<std::uint16_t>(kind);
#if defined(__x86_64__)
  asm volatile(
      "leaq 1f(%%rip), %%rax\n"
      "1: movq %%rax, %0\n"
      "movq %%rsp, %1\n"
      "movq %%rbp, %2\n"
      : "=m"(open.pc), "=m"(open.stack), "=m"(open.frame)
      :
      : "rax");
#else
  asm volatile(
      "adr x9, 1f\n"
      "1: mov x10, sp\n"
      "stp x9, x10, [%0]\n"
      "str x29, [%0, #16]\n"
      :
      : "r"(&open.pc)
      : "x9", "x10", "memory");
#endif
  __atomic_store_n(&open.begun, begun, __ATOMIC_RELEASE);
}

// Call before the first wait of a slot: allocates its tables. If threads allocated them after the
// wait, thousands that wake up at once would contend for room in the live file.
void prepare_to_wait();

// Precondition: current_thread() is not null.
[[gnu::always_inline]] inline Wait begin_wait(Function function, WaitKind kind,
                                              std::uint64_t place) {
  ThreadWaits& waits = current_thread()->waits;
  if (waits.prepared == 0) [[unlikely]]
    prepare_to_wait();
  const Wait wait = {function, kind, monotonic_time(), waits.recorded, place};
  note_open(waits.open, function, kind, wait.begun);
  return wait;
}

// Counts the wait of the function that called this, if it was one.
void count_wait(const Wait& wait, std::uint64_t ended, const Holder& holder);

// The current thread's state may be another one by now: the child of a fork() in a signal handler
// returns here, too.
[[gnu::always_inline]] inline void end_wait_at(std::uint64_t ended, const Wait& wait,
                                               std::uint64_t shortest, const Holder& holder) {
  if (ThreadState* thread = current_thread(); thread != nullptr) [[likely]]
    __atomic_store_n(&thread->waits.open.begun, 0, __ATOMIC_RELAXED);
  if (ended - wait.begun < shortest || wait.begun == 0 || ended < wait.begun) [[likely]]
    return;
  count_wait(wait, ended, holder);
}

[[gnu::always_inline]] inline void end_wait(const Wait& wait,
                                            std::uint64_t shortest = shortest_wait,
                                            const Holder& holder = {}) {
  end_wait_at(monotonic_time(), wait, shortest, holder);
}

// Whether the kernel has blocked the current thread since the last time this was asked; true if the
// kernel does not tell.
bool has_slept();

// As end_wait(), for calls that mostly return at once without asking the kernel for anything: such
// a call may take long because the thread was preempted, or copies much, which is not a wait.
[[gnu::always_inline]] inline void end_wait_if_slept(const Wait& wait) {
  const std::uint64_t ended = monotonic_time();
  const bool is_long = ended >= wait.begun && ended - wait.begun >= shortest_wait;
  const std::uint64_t shortest = is_long && !has_slept() ? ~std::uint64_t{0} : shortest_wait;
  end_wait_at(ended, wait, shortest, {});
}

// Where the calling function was called with the current stack: the holder of a lock that it took.
// `place`: its return address.
Holder current_place(std::uint64_t place);

}  // namespace gprof_runtime::waits
