// The ways to end that run no exit handlers: writes the profile first.
#include <asm/unistd.h>
#include <signal.h>

#include "runtime/process/hooks.h"
#include "runtime/process/lifecycle.h"
#include "runtime/system/syscalls.h"

#define GPROF_EXPORT extern "C" [[gnu::visibility("default")]]

namespace {

using gprof_runtime::Ending;
namespace sys = gprof_runtime::sys;

[[noreturn]] void end_process(int status) {
  gprof_runtime::finish(Ending::exit_now, status, true);
  for (;;) sys::call_always(__NR_exit_group, status);
}

void raise_abort() {
  std::uint64_t set = std::uint64_t{1} << (SIGABRT - 1);
  sys::call_always(__NR_rt_sigprocmask, SIG_UNBLOCK, sys::word(&set), 0, sizeof set);
  sys::call_always(__NR_tgkill, sys::call_always(__NR_getpid), sys::call_always(__NR_gettid),
                   SIGABRT);
}

}  // namespace

void gprof_runtime::keep_exit_hooks() { keep_own_abort(); }

GPROF_EXPORT __attribute__((noreturn)) void _exit(int status) { end_process(status); }
GPROF_EXPORT __attribute__((noreturn)) void _Exit(int status) { end_process(status); }

// C17 7.22.4.1: raises SIGABRT; the program ends even if it is ignored or its handler returns.
GPROF_EXPORT __attribute__((noreturn)) void abort() {
  gprof_runtime::finish(Ending::aborted, 0, true);
  raise_abort();
  struct {
    void (*handler)(int) = SIG_DFL;
    unsigned long flags = 0;
    void (*restorer)() = nullptr;
    std::uint64_t mask = 0;
  } const default_action;
  sys::call_always(__NR_rt_sigaction, SIGABRT, sys::word(&default_action), 0,
                   sizeof default_action.mask);
  raise_abort();
  constexpr int abnormal = 127;
  for (;;) sys::call_always(__NR_exit_group, abnormal);
}
