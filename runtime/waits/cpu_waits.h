// How long threads wait for a CPU: they could run, but others do. The kernel keeps the account
// (schedstat's run delay), per thread.
//
// Reading it takes some 5 us. So it is read every few milliseconds while the thread is sampled or
// ends waits, after long waits, at the thread's end unless it was read just before, and when a
// profile is written; what the account has grown by is spread evenly over the time since the last
// look. The sum is the kernel's, to the nanosecond; its place in time is as exact as the looks are
// close.
//
// A call that blocks takes longer than the thread is blocked: the thread may wait for a CPU before
// it goes on, and uses CPU time in the kernel. Both are in accounts of their own, and would count
// twice. At each look the sum is known: elapsed time = CPU time + run delay + time blocked. What
// the waits have too much is taken off the wait that is just ending, and then off the next ones.
// So the three add up to the elapsed time, less what the thread was blocked outside of measured
// calls (a page fault that reads a file, a system call without libc). The balance is drawn from one
// look to the next, so that such a time does not hide what is too much at another.
//
// Without schedstat or /proc, no run delay is reported.
//
// Units: nanoseconds; moments of CLOCK_MONOTONIC. Thread contract: with every signal blocked.
#pragma once

#include <cstdint>

#include "runtime/process/thread_state.h"

namespace gprof_runtime::waits {

// Waits at least this long are corrected at once.
inline constexpr std::uint64_t worth_a_look = 2'000'000;
// Pauses between reads of the accounts; the short one while an excess is left to take off waits.
inline constexpr std::uint64_t usual_pause = 20'000'000;
inline constexpr std::uint64_t short_pause = 4'000'000;
// The minimum pause, per thread of the process: with thousands of threads, each gets so little CPU
// time that reading the accounts would take most of it.
inline constexpr std::uint64_t min_pause_per_thread = 20'000;

// When the thread's state is made, by the thread or another one.
void begin_cpu_waits(ThreadState* thread);

// Reads the account and counts what is new, in the slot of `counting`, the current thread's.
// `waited`: by the wait that is just ending and not recorded yet; `until`: when that began, else
// now.
void look_at_cpu_waits(ThreadState* counting, ThreadState* thread, std::uint64_t waited,
                       std::uint64_t until);

// Whether it is time to look again.
inline bool is_look_due(const ThreadState& thread, std::uint64_t now) {
  const CpuWaits& account = thread.waits.cpu;
  if (account.looked == 0 || now <= account.looked) return false;
  const std::uint64_t passed = now - account.looked;
  return passed >= account.pause && passed >= running_threads() * min_pause_per_thread;
}

// At a sample: looks if it is time to.
void look_at_sample(ThreadState* thread);
// When the thread ends.
void look_at_end(ThreadState* thread);

}  // namespace gprof_runtime::waits
