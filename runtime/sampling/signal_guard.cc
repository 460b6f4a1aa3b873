// libc's functions that install signal actions and change signal masks, as the program sees them:
// the sampling signal seems to belong to the program but stays with the collector.
//
// Only in the shared library; a static program has libc's own. Before the sampler has chosen a
// signal, all calls pass through. Thread contract: libc's.
#include <cerrno>

#include <signal.h>
#include <sys/time.h>

#include "runtime/sampling/kernel_signals.h"
#include "runtime/sampling/next_functions.h"
#include "runtime/sampling/program_signal.h"
#include "runtime/sampling/sampler.h"

namespace gprof_runtime::sampler {
namespace {

using MaskFunction = int (*)(int, const sigset_t*, sigset_t*);

bool is_kept(int number) {
  return number != 0 && number == signal_number() && in_sampled_process();
}

void exchange_action(const struct sigaction* action, struct sigaction* old) {
  struct sigaction before;
  read_program_action(&before);
  if (action != nullptr) {
    const struct sigaction wanted = *action;  // `old` may be the same place
    write_program_action(wanted);
    const bool is_handler = wanted.sa_handler != SIG_DFL && wanted.sa_handler != SIG_IGN;
    restart_system_calls(!is_handler || (wanted.sa_flags & SA_RESTART) != 0);
  }
  if (old != nullptr) *old = before;
}

sighandler_t exchange_handler(sighandler_t handler, int flags) {
  if (handler == SIG_ERR) {
    errno = EINVAL;
    return SIG_ERR;
  }
  struct sigaction action = {};
  struct sigaction old = {};
  action.sa_handler = handler;
  action.sa_flags = flags;
  exchange_action(&action, &old);
  return old.sa_handler;
}

void before_action(int number) {
  if (number == SIGPROF && in_sampled_process()) give_up_process_timer();
}

using HandlerFunction = sighandler_t (*)(int, sighandler_t);
constexpr int once = static_cast<int>(SA_RESETHAND) | SA_NODEFER;

sighandler_t change_handler(HandlerFunction next, int number, sighandler_t handler, int flags) {
  if (is_kept(number)) return exchange_handler(handler, flags);
  before_action(number);
  return next(number, handler);
}

// The mask that the thread would have after the call.
SignalMask changed_mask(SignalMask mask, int how, SignalMask set) {
  if (how == SIG_BLOCK) return mask | set;
  if (how == SIG_UNBLOCK) return mask & ~set;
  return set;
}

int change_guarded_mask(MaskFunction next, int how, const sigset_t* set, sigset_t* old) {
  const int kept = signal_number();
  const bool known_how = how == SIG_BLOCK || how == SIG_UNBLOCK || how == SIG_SETMASK;
  const SignalMask before = program_mask(kept);
  sigset_t wanted;
  if (set != nullptr) wanted = *set;  // `old` may be the same place
  // Before the kernel changes it, so that a signal that it then unblocks is passed on.
  if (set != nullptr && known_how) {
    change_program_mask(changed_mask(before, how, mask_of(wanted)));
    if (kept != 0 && how != SIG_UNBLOCK) sigdelset(&wanted, kept);
  }
  const int result = next(how, set != nullptr ? &wanted : nullptr, old);
  if (result != 0) {
    if (set != nullptr && known_how) change_program_mask(before);
    return result;
  }
  if (old == nullptr || kept == 0) return 0;
  if ((before & signal_bit(kept)) != 0) {
    sigaddset(old, kept);
  } else {
    sigdelset(old, kept);
  }
  return 0;
}

}  // namespace
}  // namespace gprof_runtime::sampler

using namespace gprof_runtime::sampler;

#define GPROF_EXPORTED extern "C" __attribute__((visibility("default")))

GPROF_EXPORTED int sigaction(int number, const struct sigaction* action,
                             struct sigaction* old) noexcept {
  if (is_kept(number)) {
    exchange_action(action, old);
    return 0;
  }
  const auto next = next_functions().sigaction;
  if (action == nullptr) return next(number, nullptr, old);
  before_action(number);
  struct sigaction wanted = *action;
  // A handler that blocks all signals must still be sampled.
  if (signal_number() != 0) sigdelset(&wanted.sa_mask, signal_number());
  return next(number, &wanted, old);
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
