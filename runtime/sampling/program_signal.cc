#include "runtime/sampling/program_signal.h"

#include <cstdint>

#include <signal.h>

#include "runtime/sampling/perf_clock.h"
#include "runtime/sampling/sampler.h"
#include "runtime/sampling/sources.h"
#include "runtime/system/syscalls.h"

namespace gprof_runtime::sampler {
namespace {

// `version` selects the valid one of two copies: a handler may read in the middle of a write.
struct Action {
  struct sigaction copies[2];
  std::uint32_t version;
  std::uint32_t writing;
};
Action program_actions[2];  // of the tick's signal, and of perf's

Action& action_of(int signal) { return program_actions[signal == perf_clock_signal ? 1 : 0]; }

// A thread that never changed its mask has its creator's, which is unknown here.
struct Mask {
  SignalMask blocked;
  bool known;
};
thread_local Mask thread_mask;
SignalMask last_mask;  // the last one that any thread requested

bool is_blocked(int signal, const struct sigaction& action) {
  if (thread_mask.known) return (thread_mask.blocked & signal_bit(signal)) != 0;
  // Better keep the signal pending than end by one that another thread may be waiting for.
  return action.sa_handler == SIG_DFL &&
         (__atomic_load_n(&last_mask, __ATOMIC_RELAXED) & signal_bit(signal)) != 0;
}

// Programs block either all signals or specific ones. So in a thread's inherited mask a sampling
// signal would be blocked if both its neighbours are.
SignalMask as_inherited(SignalMask mask, SignalMask sampling) {
  return mask | (sampling & (mask << 1) & (mask >> 1));
}

void keep_pending(int signal, const siginfo_t& info, ucontext_t* context) {
  // An event's signal would be pending from now on, which the program could see.
  if (signal == perf_clock_signal) {
    give_up_events();
    if (current_thread() != nullptr) close_event(current_thread());
  }
  SignalMask mask = mask_of(context->uc_sigmask) | signal_bit(signal);
  __builtin_memcpy(&context->uc_sigmask, &mask, sizeof mask);  // from the handler's return on
  make_pending(signal, info);
}

// Calls the handler as the kernel would: with the action's mask, and the signal blocked meanwhile.
void call_handler(const struct sigaction& action, int signal, siginfo_t* info,
                  ucontext_t* context) {
  const Mask before = thread_mask;
  const SignalMask sampling = sampling_signals();
  SignalMask mask = mask_of(context->uc_sigmask) | mask_of(action.sa_mask);
  if ((action.sa_flags & SA_NODEFER) == 0) mask |= signal_bit(signal);
  thread_mask = {mask | (program_mask(sampling) & sampling), true};
  change_mask(SIG_SETMASK, mask & ~sampling);
  if ((action.sa_flags & SA_SIGINFO) != 0) {
    action.sa_sigaction(signal, info, context);
  } else {
    action.sa_handler(signal);
  }
  change_mask(SIG_SETMASK, every_signal);
  thread_mask = before;
}

// The kernel ignores perf's signal; one of the real-time signals ends the process.
void act_by_default(int signal) {
  if (signal != perf_clock_signal) die_by(signal);
}

}  // namespace

void read_program_action(int signal, struct sigaction* action) {
  const Action& program_action = action_of(signal);
  std::uint32_t version = 0;
  do {
    version = __atomic_load_n(&program_action.version, __ATOMIC_ACQUIRE);
    *action = program_action.copies[version & 1];
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
  } while (__atomic_load_n(&program_action.version, __ATOMIC_RELAXED) != version);
}

void write_program_action(int signal, const struct sigaction& action) {
  Action& program_action = action_of(signal);
  const SignalMask mask = change_mask(SIG_SETMASK, every_signal);
  while (__atomic_exchange_n(&program_action.writing, 1, __ATOMIC_ACQUIRE) != 0) {
    sys::call(__NR_sched_yield);
  }
  const std::uint32_t version = program_action.version + 1;
  program_action.copies[version & 1] = action;
  __atomic_store_n(&program_action.version, version, __ATOMIC_RELEASE);
  __atomic_store_n(&program_action.writing, 0, __ATOMIC_RELEASE);
  change_mask(SIG_SETMASK, mask);
}

void abandon_program_action_lock() {
  for (Action& action : program_actions) action.writing = 0;
}

SignalMask program_mask(SignalMask sampling) {
  if (thread_mask.known) return thread_mask.blocked;
  return as_inherited(change_mask(SIG_BLOCK, 0), sampling);
}

bool program_blocks(int signal) {
  return thread_mask.known && (thread_mask.blocked & signal_bit(signal)) != 0;
}

void change_program_mask(SignalMask mask) {
  thread_mask.blocked = mask;
  thread_mask.known = true;
  __atomic_store_n(&last_mask, mask, __ATOMIC_RELAXED);
}

void note_previous_mask(SignalMask mask) {
  if (!thread_mask.known) thread_mask = {mask, true};
}

void pass_on(int signal, siginfo_t* info, ucontext_t* context) {
  struct sigaction action;
  read_program_action(signal, &action);
  if (is_blocked(signal, action)) return keep_pending(signal, *info, context);
  if (action.sa_handler == SIG_IGN) return;
  if (action.sa_handler == SIG_DFL) return act_by_default(signal);
  if ((action.sa_flags & static_cast<int>(SA_RESETHAND)) != 0) write_program_action(signal, {});
  call_handler(action, signal, info, context);
}

}  // namespace gprof_runtime::sampler
