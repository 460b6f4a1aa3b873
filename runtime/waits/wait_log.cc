#include "runtime/waits/wait_log.h"

#include "runtime/calls/count_call.h"
#include "runtime/process/lifecycle.h"
#include "runtime/process/own_stack.h"
#include "runtime/sampling/kernel_signals.h"
#include "runtime/sampling/sliced_counts.h"
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

void record(ThreadState* thread, const Registers& registers, const Wait& wait, std::uint64_t ended,
            const Site& site, const Holder& holder) {
  ThreadWaits& waits = thread->waits;
  const std::uint64_t from = wait.begun > waits.open.counted ? wait.begun : waits.open.counted;
  if (ended <= from) return;
  // What was recorded since then lies within this wait. A forked child has recorded nothing.
  const std::uint64_t within = waits.recorded > wait.recorded ? waits.recorded - wait.recorded : 0;
  if (within >= ended - from) return;
  const std::uint64_t waited = ended - from - within;
  std::uint32_t stack = 0;
  const bool is_known = waited < worth_a_walk && find_site(*thread, site, &stack);
  if (!is_known && !walk_to_site(thread, registers, site, &stack)) return;
  waits.recorded += waited;
  add_wait(thread, {.stack = stack,
                    .thread = thread->record->number,
                    .function = static_cast<std::uint16_t>(number_of(wait.function)),
                    .kind = static_cast<std::uint16_t>(wait.kind),
                    .waited = waited,
                    .ended = ended});
  if (holder.known == 0) return;
  add_holder(thread, {.stack = stack,
                      .function = static_cast<std::uint16_t>(number_of(wait.function)),
                      .kind = static_cast<std::uint16_t>(wait.kind),
                      .holder_slot = holder.slot,
                      .holder_stack = holder.stack,
                      .slice = no_slice,
                      .unused = 0,
                      .count = waited,
                      .times = 1});
}

}  // namespace

[[gnu::noinline]] void count_wait(const Wait& wait, std::uint64_t ended, const Holder& holder) {
  ThreadState* thread = current_thread();
  if (thread == nullptr || counting_enabled == 0) return;
  const Registers registers = current_registers();
  const Site site = {wait.place, reinterpret_cast<std::uint64_t>(__builtin_frame_address(0))};
  auto work = [&] { record(thread, registers, wait, ended, site, holder); };
  run_undisturbed(thread, work);
}

[[gnu::noinline]] Holder current_place(std::uint64_t place) {
  ThreadState* thread = current_thread();
  if (thread == nullptr || counting_enabled == 0) return {};
  const Site site = {place, reinterpret_cast<std::uint64_t>(__builtin_frame_address(0))};
  std::uint32_t stack = 0;
  if (find_site(*thread, site, &stack)) return {1, thread->slot, stack};
  const Registers registers = current_registers();
  Holder holder = {};
  auto work = [&] {
    if (walk_to_site(thread, registers, site, &stack)) holder = {1, thread->slot, stack};
  };
  run_undisturbed(thread, work);
  return holder;
}

}  // namespace gprof_runtime::waits
