#include "runtime/waits/wait_log.h"

#include <sys/resource.h>

#include "runtime/calls/count_call.h"
#include "runtime/process/lifecycle.h"
#include "runtime/process/own_stack.h"
#include "runtime/sampling/kernel_signals.h"
#include "runtime/sampling/sliced_counts.h"
#include "runtime/system/syscalls.h"
#include "runtime/waits/cpu_waits.h"
#include "runtime/waits/wait_sites.h"
#include "runtime/waits/wait_tables.h"

namespace gprof_runtime::waits {
namespace {

// From which on the stack is walked, whatever is known of the place.
constexpr std::uint64_t worth_a_walk = 50000;

// With every signal blocked, on the thread's own stack; does nothing if that is impossible.
template <typename Work>
[[gnu::noinline]] void run_undisturbed(ThreadState* thread, Work& work) {
  sampler::SignalMask before = 0;
  if (!sampler::exchange_mask(sampler::every_signal, &before)) return;
  // A child that has its parent's memory, or its file, must leave both alone.
  if (is_own_process()) run_on_own_stack(thread, work);
  sampler::exchange_mask(before, nullptr);
}

// What the wait takes that no other wait has within it, and no other thread has counted; 0:
// nothing.
std::uint64_t waited_in(const ThreadWaits& waits, const Wait& wait, std::uint64_t ended) {
  const std::uint64_t from = wait.begun > waits.open.counted ? wait.begun : waits.open.counted;
  // A forked child has recorded nothing.
  const std::uint64_t within = waits.recorded > wait.recorded ? waits.recorded - wait.recorded : 0;
  return ended > from && ended - from > within ? ended - from - within : 0;
}

EndedWait ended_wait(const ThreadState& thread, const Wait& wait, std::uint32_t stack,
                     std::uint64_t waited, std::uint64_t ended) {
  return {.stack = stack,
          .thread = thread.record->number,
          .function = static_cast<std::uint16_t>(number_of(wait.function)),
          .kind = static_cast<std::uint16_t>(wait.kind),
          .waited = waited,
          .ended = ended};
}

HolderCount held_by(const Holder& holder, const EndedWait& done) {
  return {.stack = done.stack,
          .function = done.function,
          .kind = done.kind,
          .holder_slot = holder.slot,
          .holder_stack = holder.stack,
          .slice = no_slice,
          .unused = 0,
          .count = done.waited,
          .times = 1};
}

// The wait without CPU time and run delay that are in accounts of their own.
std::uint64_t without_excess(ThreadState* thread, std::uint64_t waited) {
  CpuWaits& account = thread->waits.cpu;
  const std::uint64_t taken = account.excess < waited ? account.excess : waited;
  account.excess -= taken;
  __atomic_store_n(&account.measured, account.measured + waited, __ATOMIC_RELAXED);
  return waited - taken;
}

void record(ThreadState* thread, const Registers& registers, const Wait& wait, std::uint64_t ended,
            const Site& site, const Holder& holder) {
  const std::uint64_t measured = waited_in(thread->waits, wait, ended);
  if (measured >= worth_a_look || (measured != 0 && is_look_due(*thread, ended))) {
    look_at_cpu_waits(thread, thread, measured, wait.begun);
  }
  const std::uint64_t waited = without_excess(thread, measured);
  if (waited == 0) return;
  WaitSite* known = waited < worth_a_walk ? find_site(thread, site) : nullptr;
  if (known == nullptr) known = walk_to_site(thread, registers, site);
  if (known == nullptr) return;
  thread->waits.recorded += waited;
  const EndedWait done = ended_wait(*thread, wait, known->stack, waited, ended);
  known->count = add_wait(thread, done);
  known->chunk = thread->waits.counts.chunk;
  if (holder.known == 0) return;
  known->holder = add_holder(thread, held_by(holder, done));
  known->holder_chunk = thread->waits.holders.chunk;
}

// Counts a short wait where the last one was counted, if that has the same stack, function, slice
// and holder: without a system call. A signal handler may put another table in place meanwhile:
// then the wait is lost.
bool add_to_last(ThreadState* thread, const Wait& wait, std::uint64_t ended, const Site& site,
                 const Holder& holder) {
  const std::uint64_t measured = waited_in(thread->waits, wait, ended);
  if (measured == 0) return true;
  if (measured >= worth_a_walk || is_look_due(*thread, ended)) return false;
  const std::uint64_t excess = thread->waits.cpu.excess;
  const std::uint64_t waited = measured - (excess < measured ? excess : measured);
  const WaitSite* known = find_site(thread, site);
  if (known == nullptr || known->count == nullptr || known->chunk != thread->waits.counts.chunk) {
    return false;
  }
  const EndedWait done = ended_wait(*thread, wait, known->stack, waited, ended);
  const HolderCount held = held_by(holder, done);
  const bool same_holder =
      holder.known == 0 ||
      (known->holder != nullptr && known->holder_chunk == thread->waits.holders.chunk &&
       is_same_holder(*known->holder, held));
  if (!same_holder) return false;
  if (waited != 0 && !add_to_counted(*known->chunk, *known->count, done)) return false;
  without_excess(thread, measured);
  if (waited == 0) return true;
  if (holder.known != 0) add_to_holder(*known->holder, held);
  thread->waits.recorded += waited;
  return true;
}

// Voluntary context switches of the current thread so far; false if the kernel refuses to tell.
bool read_switches(std::uint64_t* switches) {
  constexpr long of_thread = 1;  // RUSAGE_THREAD
  rusage usage = {};
  if (sys::failed(sys::call(__NR_getrusage, of_thread, sys::word(&usage)))) return false;
  *switches = static_cast<std::uint64_t>(usage.ru_nvcsw);
  return true;
}

// Some kernels that imitate Linux always say 0. Called by a thread that has none, once per process:
// the shortest sleep must make it one.
bool counts_switches() {
  enum : std::uint32_t { unknown, counted, not_counted };
  static std::uint32_t answer = unknown;
  std::uint32_t known = __atomic_load_n(&answer, __ATOMIC_RELAXED);
  if (known == unknown) {
    struct {
      std::int64_t seconds;
      std::int64_t nanoseconds;
    } const moment = {0, 1};
    sys::call(__NR_nanosleep, sys::word(&moment), 0);
    std::uint64_t switches = 0;
    known = read_switches(&switches) && switches != 0 ? counted : not_counted;
    __atomic_store_n(&answer, known, __ATOMIC_RELAXED);
  }
  return known == counted;
}

// Apart from current_place(), whose result stays in registers so: it is that of every lock of a
// mutex that others wait for.
[[gnu::noinline]] Holder walked_place(ThreadState* thread, const Registers& registers,
                                      const Site& site) {
  const WaitSite* known = nullptr;
  auto work = [&] { known = walk_to_site(thread, registers, site); };
  run_undisturbed(thread, work);
  return known != nullptr ? Holder{1, thread->slot, known->stack} : Holder{};
}

}  // namespace

[[gnu::noinline]] void prepare_to_wait() {
  ThreadState* thread = current_thread();
  if (thread == nullptr || counting_enabled == 0) return;
  thread->waits.prepared = 1;
  auto work = [&] { make_tables(thread); };
  run_undisturbed(thread, work);
}

[[gnu::noinline]] bool has_slept() {
  ThreadState* thread = current_thread();
  std::uint64_t switches = 0;
  if (thread == nullptr || !read_switches(&switches)) return true;
  if (switches == 0) return !counts_switches();
  const bool slept = switches != thread->waits.switches;
  thread->waits.switches = switches;
  return slept;
}

[[gnu::noinline]] void count_wait(const Wait& wait, std::uint64_t ended, const Holder& holder) {
  ThreadState* thread = current_thread();
  if (thread == nullptr || counting_enabled == 0) return;
  const Site site = {wait.place, reinterpret_cast<std::uint64_t>(__builtin_frame_address(0))};
  if (add_to_last(thread, wait, ended, site, holder)) return;
  const Registers registers = current_registers();
  auto work = [&] { record(thread, registers, wait, ended, site, holder); };
  run_undisturbed(thread, work);
}

[[gnu::noinline]] Holder current_place(std::uint64_t place) {
  ThreadState* thread = current_thread();
  if (thread == nullptr || counting_enabled == 0) return {};
  const Site site = {place, reinterpret_cast<std::uint64_t>(__builtin_frame_address(0))};
  const WaitSite* known = find_site(thread, site);
  if (known != nullptr) [[likely]]
    return {1, thread->slot, known->stack};
  const Registers registers = current_registers();
  return walked_place(thread, registers, site);
}

}  // namespace gprof_runtime::waits
