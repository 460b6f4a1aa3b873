#include "runtime/process/thread_times.h"

#include <time.h>

#include "runtime/calls/count_call.h"
#include "runtime/process/thread_list.h"
#include "runtime/process/thread_state.h"
#include "runtime/sampling/clocks.h"
#include "runtime/storage/live_file.h"

namespace gprof_runtime {
namespace {

// CPU time since the process began: of threads that had ended when the collector began, and of
// those that had a state and have given it back.
struct State {
  std::uint64_t earlier;
  std::uint64_t ended;
};
State state;

// The part of the current thread's CPU time that `ended` already includes: a destructor of
// thread-local data may make the thread take a state again after it was released.
thread_local std::uint64_t noted_time = 0;

std::uint64_t time_of(std::uint32_t thread) {
  return sampler::read_clock(sampler::cpu_clock_of(thread));
}

std::uint64_t difference(std::uint64_t all, std::uint64_t part) {
  return all > part ? all - part : 0;
}

}  // namespace

void note_earlier_time() {
  const std::uint64_t all = sampler::read_clock(CLOCK_PROCESS_CPUTIME_ID);
  std::uint64_t running = 0;
  each_thread([&](std::uint32_t thread) { running += time_of(thread); });
  state.earlier = running != 0 ? difference(all, running) : all;
  // The clock goes on when another image takes over the process, whose time is in its own profile.
  live::header()->earlier_time = live::header()->image_number == 0 ? all : 0;
}

void note_time_of_ended() {
  const std::uint64_t now = sampler::thread_cpu_time();
  __atomic_fetch_add(&state.ended, difference(now, noted_time), __ATOMIC_RELAXED);
  noted_time = now;
}

void note_times() {
  const std::uint64_t all = sampler::read_clock(CLOCK_PROCESS_CPUTIME_ID);
  std::uint64_t known = state.earlier + __atomic_load_n(&state.ended, __ATOMIC_RELAXED);
  for (ThreadState* thread = all_threads(); thread != nullptr; thread = thread->next) {
    const std::uint32_t number = number_of_running(*thread);
    // A thread that never took its state was not sampled.
    if (number == 0 || __atomic_load_n(&thread->unclaimed, __ATOMIC_RELAXED) != 0) continue;
    ThreadRecord& record = *thread->record;
    const std::uint64_t now = time_of(number);
    const std::uint64_t before = __atomic_load_n(&record.cpu_time_before, __ATOMIC_RELAXED);
    const std::uint64_t noted = __atomic_load_n(&record.cpu_time, __ATOMIC_RELAXED);
    known += now != 0 ? now : before + noted;
    if (counting_enabled != 0 && difference(now, before) > noted) {
      __atomic_store_n(&record.cpu_time, now - before, __ATOMIC_RELAXED);
    }
  }
  live::header()->unsampled_time = difference(all, known);
}

void abandon_thread_times() {
  state = {};
  noted_time = 0;
}

}  // namespace gprof_runtime
