#include "runtime/sampling/next_functions.h"

#include <cerrno>
#include <cstdint>

#include "runtime/system/dynamic_symbols.h"

namespace gprof_runtime::sampler {
namespace {

struct State {
  NextFunctions functions;
  std::uint32_t known;
};
State state;

// `otherwise`: for names that not every libc has.
template <typename Function>
void look_up(const char* name, Function* function, Function otherwise = nullptr) {
  auto* found = reinterpret_cast<Function>(next_symbol(name));
  __atomic_store_n(function, found != nullptr ? found : otherwise, __ATOMIC_RELAXED);
}

// A process without libpthread has no pthread_sigmask() before glibc 2.32.
int set_mask_of_only_thread(int how, const sigset_t* set, sigset_t* old) {
  const int saved = errno;
  const int error = state.functions.sigprocmask(how, set, old) == 0 ? 0 : errno;
  errno = saved;
  return error;
}

}  // namespace

const NextFunctions& next_functions() {
  if (__atomic_load_n(&state.known, __ATOMIC_ACQUIRE) != 0) return state.functions;
  const int saved = errno;
  NextFunctions& next = state.functions;
  look_up("sigaction", &next.sigaction);
  look_up("signal", &next.signal);
  look_up("bsd_signal", &next.bsd_signal, next.signal);
  look_up("ssignal", &next.ssignal, next.signal);
  look_up("__sysv_signal", &next.own_sysv_signal, next.signal);
  look_up("sysv_signal", &next.sysv_signal, next.own_sysv_signal);
  look_up("sigprocmask", &next.sigprocmask);
  look_up("pthread_sigmask", &next.pthread_sigmask);
  if (next.pthread_sigmask == nullptr) next.pthread_sigmask = set_mask_of_only_thread;
  look_up("setitimer", &next.setitimer);
  look_up("sigwait", &next.sigwait);
  look_up("sigwaitinfo", &next.sigwaitinfo);
  look_up("sigtimedwait", &next.sigtimedwait);
  look_up("signalfd", &next.signalfd);
  __atomic_store_n(&state.known, 1, __ATOMIC_RELEASE);
  errno = saved;
  return next;
}

}  // namespace gprof_runtime::sampler
