// libc's functions that install signal actions and change signal masks, as the program sees them:
// the sampling signals seem to belong to the program but stay with the collector.
//
// Only in the shared library; a static program has libc's own. Before the sampler has chosen its
// signals, all calls pass through. Thread contract: libc's.
#include <cerrno>

#include <signal.h>
#include <sys/time.h>

#include "runtime/sampling/fatal_signals.h"
#include "runtime/sampling/kernel_signals.h"
#include "runtime/sampling/next_functions.h"
#include "runtime/sampling/perf_clock.h"
#include "runtime/sampling/program_signal.h"
#include "runtime/sampling/sampler.h"

namespace gprof_runtime::sampler {
namespace {

using MaskFunction = int (*)(int, const sigset_t*, sigset_t*);

bool is_kept(int number) {
  return number > 0 && number <= highest_signal && (sampling_signals() & signal_bit(number)) != 0 &&
         in_sampled_process();
}

bool is_handler(sighandler_t handler) {
  return handler != SIG_DFL && handler != SIG_IGN && handler != SIG_ERR;
}

// Whether the call that installs a handler is the emulation's. The signal of perf's clock is given
// back to a program that has a handler for it.
bool stays_kept(int number, sighandler_t handler) {
  if (!is_kept(number)) return false;
  if (number == perf_clock_signal && is_handler(handler)) give_up_perf_clock();
  return is_kept(number);
}

void exchange_action(int number, const struct sigaction* action, struct sigaction* old) {
  struct sigaction before;
  read_program_action(number, &before);
  if (action != nullptr) {
    const struct sigaction wanted = *action;  // `old` may be the same place
    write_program_action(number, wanted);
    restart_system_calls(number,
                         !is_handler(wanted.sa_handler) || (wanted.sa_flags & SA_RESTART) != 0);
  }
  if (old != nullptr) *old = before;
}

sighandler_t exchange_handler(int number, sighandler_t handler, int flags) {
  if (handler == SIG_ERR) {
    errno = EINVAL;
    return SIG_ERR;
  }
  struct sigaction action = {};
  struct sigaction old = {};
  action.sa_handler = handler;
  action.sa_flags = flags;
  exchange_action(number, &action, &old);
  return old.sa_handler;
}

void before_action(int number) {
  if (number == SIGPROF && in_sampled_process()) give_up_process_timer();
}

using HandlerFunction = sighandler_t (*)(int, sighandler_t);
constexpr int once = static_cast<int>(SA_RESETHAND) | SA_NODEFER;

sighandler_t change_handler(HandlerFunction next, int number, sighandler_t handler, int flags) {
  if (stays_kept(number, handler)) return exchange_handler(number, handler, flags);
  before_action(number);
  return hidden_fatal_handler(next(number, handler));
}

// The mask that the thread would have after the call.
SignalMask changed_mask(SignalMask mask, int how, SignalMask set) {
  if (how == SIG_BLOCK) return mask | set;
  if (how == SIG_UNBLOCK) return mask & ~set;
  return set;
}

int change_guarded_mask(MaskFunction next, int how, const sigset_t* set, sigset_t* old) {
  const SignalMask kept = sampling_signals();
  const bool known_how = how == SIG_BLOCK || how == SIG_UNBLOCK || how == SIG_SETMASK;
  const SignalMask before = program_mask(kept);
  sigset_t wanted;
  if (set != nullptr) wanted = *set;  // `old` may be the same place
  // Before the kernel changes it, so that a signal that it then unblocks is passed on.
  if (set != nullptr && known_how) {
    change_program_mask(changed_mask(before, how, mask_of(wanted)));
    if (how != SIG_UNBLOCK) set_mask(&wanted, mask_of(wanted) & ~kept);
  }
  const int result = next(how, set != nullptr ? &wanted : nullptr, old);
  if (result != 0) {
    if (set != nullptr && known_how) change_program_mask(before);
    return result;
  }
  if (old != nullptr) set_mask(old, (mask_of(*old) & ~kept) | (before & kept));
  return 0;
}

}  // namespace
}  // namespace gprof_runtime::sampler

using namespace gprof_runtime::sampler;

#define GPROF_EXPORTED extern "C" __attribute__((visibility("default")))

GPROF_EXPORTED int sigaction(int number, const struct sigaction* action,
                             struct sigaction* old) noexcept {
  if (stays_kept(number, action != nullptr ? action->sa_handler : SIG_DFL)) {
    exchange_action(number, action, old);
    return 0;
  }
  const auto next = next_functions().sigaction;
  struct sigaction wanted = {};
  if (action != nullptr) {
    before_action(number);
    wanted = *action;
    // A handler that blocks all signals must still be sampled.
    set_mask(&wanted.sa_mask, mask_of(wanted.sa_mask) & ~sampling_signals());
  }
  const int result = next(number, action != nullptr ? &wanted : nullptr, old);
  if (result == 0) hide_fatal_action(number, old);
  return result;
}

GPROF_EXPORTED sighandler_t signal(int number, sighandler_t handler) noexcept {
  return change_handler(next_functions().signal, number, handler, SA_RESTART);
}

GPROF_EXPORTED sighandler_t bsd_signal(int number, sighandler_t handler) noexcept {
  return change_handler(next_functions().bsd_signal, number, handler, SA_RESTART);
}

GPROF_EXPORTED sighandler_t ssignal(int number, sighandler_t handler) noexcept {
  return change_handler(next_functions().ssignal, number, handler, SA_RESTART);
}

// What signal() is in programs that request System V semantics.
GPROF_EXPORTED sighandler_t sysv_signal(int number, sighandler_t handler) noexcept {
  return change_handler(next_functions().sysv_signal, number, handler, once);
}

GPROF_EXPORTED sighandler_t __sysv_signal(int number, sighandler_t handler) noexcept {
  return change_handler(next_functions().own_sysv_signal, number, handler, once);
}

GPROF_EXPORTED int sigprocmask(int how, const sigset_t* set, sigset_t* old) noexcept {
  return change_guarded_mask(next_functions().sigprocmask, how, set, old);
}

GPROF_EXPORTED int pthread_sigmask(int how, const sigset_t* set, sigset_t* old) noexcept {
  return change_guarded_mask(next_functions().pthread_sigmask, how, set, old);
}

GPROF_EXPORTED int setitimer(__itimer_which_t which, const itimerval* times,
                             itimerval* old) noexcept {
  if (which == ITIMER_PROF && in_sampled_process()) give_up_process_timer();
  return next_functions().setitimer(which, times, old);
}
