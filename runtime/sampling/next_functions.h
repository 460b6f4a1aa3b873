// libc's functions that the guards of the sampling signal interpose.
//
// Looked up with next_symbol(), which a signal handler must not call: all at once, when the first
// of them is needed. A program with a handler has installed it through one of them before.
//
// Thread contract: any thread; two concurrent look-ups find the same.
#pragma once

#include <signal.h>
#include <sys/time.h>

namespace gprof_runtime::sampler {

struct NextFunctions {
  int (*sigaction)(int, const struct sigaction*, struct sigaction*);
  sighandler_t (*signal)(int, sighandler_t);
  sighandler_t (*bsd_signal)(int, sighandler_t);
  sighandler_t (*ssignal)(int, sighandler_t);
  sighandler_t (*sysv_signal)(int, sighandler_t);
  sighandler_t (*own_sysv_signal)(int, sighandler_t);  // __sysv_signal
  int (*sigprocmask)(int, const sigset_t*, sigset_t*);
  int (*pthread_sigmask)(int, const sigset_t*, sigset_t*);
  int (*setitimer)(int, const itimerval*, itimerval*);
  int (*sigwait)(const sigset_t*, int*);
  int (*sigwaitinfo)(const sigset_t*, siginfo_t*);
  int (*sigtimedwait)(const sigset_t*, siginfo_t*, const timespec*);
  int (*signalfd)(int, const sigset_t*, int);
};

const NextFunctions& next_functions();

}  // namespace gprof_runtime::sampler
