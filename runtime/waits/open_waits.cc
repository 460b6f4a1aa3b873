// Waits that have not ended when the profile is written: of workers that wait for work, of a thread
// that has called exit() in a signal handler that interrupted it.
//
// What a thread says about itself may be outdated: it may have left its wait by a jump out of a
// signal handler, or be cancelled. So the kernel is asked whether it is blocked, below the place of
// the stack where it began to wait.
#include <cstddef>
#include <cstdint>

#include "runtime/modules/modules.h"
#include "runtime/process/lifecycle.h"
#include "runtime/process/own_stack.h"
#include "runtime/process/thread_state.h"
#include "runtime/sampling/stack_table.h"
#include "runtime/system/message.h"
#include "runtime/system/small_file.h"
#include "runtime/system/vdso.h"
#include "runtime/waits/cpu_waits.h"
#include "runtime/waits/wait_log.h"
#include "runtime/waits/wait_tables.h"
#include "runtime/waits/waits.h"

namespace gprof_runtime::waits {
namespace {

// The frames of the functions of libc that wait.
constexpr std::uint64_t deepest_wait = 16384;

bool is_digit(char character) {
  return (character >= '0' && character <= '9') || (character >= 'a' && character <= 'f');
}

std::uint64_t value_of(char digit) {
  return static_cast<std::uint64_t>(digit <= '9' ? digit - '0' : digit - 'a' + 10);
}

// The stack pointer of a blocked thread, the last number but one of /proc/self/task/N/syscall; 0 if
// it runs or this cannot be seen.
std::uint64_t stack_of_blocked(std::uint32_t thread) {
  Text<64> path;
  path.add("/proc/self/task/").add(thread).add("/syscall");
  char text[256];
  const std::size_t size = read_small_file(path.c_str(), text, sizeof text);
  std::uint64_t last = 0;
  std::uint64_t before_last = 0;
  for (std::size_t i = 1; i < size; ++i) {
    if (text[i - 1] != '0' || text[i] != 'x') continue;
    before_last = last;
    last = 0;
    for (std::size_t j = i + 1; j < size && is_digit(text[j]); ++j) {
      last = last * 16 + value_of(text[j]);
    }
  }
  return before_last;
}

OpenWait read_open(const ThreadState& thread) {
  const OpenWait& open = thread.waits.open;
  OpenWait read = {};
  const std::uint64_t begun = __atomic_load_n(&open.begun, __ATOMIC_ACQUIRE);
  read.pc = __atomic_load_n(&open.pc, __ATOMIC_RELAXED);
  read.stack = __atomic_load_n(&open.stack, __ATOMIC_RELAXED);
  read.frame = __atomic_load_n(&open.frame, __ATOMIC_RELAXED);
  read.function = __atomic_load_n(&open.function, __ATOMIC_RELAXED);
  read.kind = __atomic_load_n(&open.kind, __ATOMIC_RELAXED);
  read.counted = open.counted;
  __atomic_thread_fence(__ATOMIC_ACQUIRE);
  read.begun = __atomic_load_n(&open.begun, __ATOMIC_RELAXED) == begun ? begun : 0;
  return read;
}

bool is_in(const OpenWait& open, std::uint32_t thread) {
  const std::uint64_t stack = stack_of_blocked(thread);
  return stack != 0 && stack <= open.stack && open.stack - stack < deepest_wait;
}

// In the slot of `counting`, which is the current thread's.
void count_open_of(ThreadState* counting, ThreadState* waiting, std::uint64_t now) {
  const ThreadRecord* record = waiting->record;
  const OpenWait open = read_open(*waiting);
  const std::uint64_t from = open.begun > open.counted ? open.begun : open.counted;
  if (open.begun == 0 || record == nullptr || record->ended != 0 || now <= from ||
      now - from < shortest_wait || !is_in(open, record->thread)) {
    return;
  }
  Registers registers;
  registers.pc = open.pc;
  registers.general[stack_register] = open.stack;
  registers.general[frame_register] = open.frame;
  const StackRecord* stack = sampler::find_calling_stack(counting, registers, modules::epoch());
  if (stack == nullptr) return;
  add_wait(counting, {.stack = stack->number,
                      .thread = record->number,
                      .function = open.function,
                      .kind = open.kind,
                      .waited = now - from,
                      .ended = now});
  // If the wait ends after all, only the rest of it is counted.
  __atomic_store_n(&waiting->waits.open.counted, now, __ATOMIC_RELAXED);
  __atomic_fetch_add(&waiting->waits.counted_open, now - from, __ATOMIC_RELAXED);
}

}  // namespace

void count_open() {
  const std::uint64_t now = monotonic_time();
  ThreadState* counting = acquire_thread();
  if (now == 0 || counting == nullptr) return;
  auto count = [&] {
    for (ThreadState* thread = all_threads(); thread != nullptr; thread = thread->next) {
      if (thread != counting) count_open_of(counting, thread, now);
      if (number_of_running(*thread) != 0) look_at_cpu_waits(counting, thread, 0, now);
    }
  };
  run_on_own_stack(counting, count);
}

}  // namespace gprof_runtime::waits
