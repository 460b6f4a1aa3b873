// In the shared library.
#include "runtime/process/next_calls.h"

#include <cerrno>
#include <cstdint>

#include "runtime/process/kernel_calls.h"
#include "runtime/sampling/next_functions.h"
#include "runtime/system/dynamic_symbols.h"

namespace gprof_runtime {
namespace {

NextCalls calls;
std::uint32_t known;

template <typename Function>
void look_up(const char* name, Function* function, Function otherwise) {
  auto* found = reinterpret_cast<Function>(next_symbol(name));
  __atomic_store_n(function, found != nullptr ? found : otherwise, __ATOMIC_RELAXED);
}

void look_up_all() {
  const int saved = errno;
  look_up("_exit", &calls.exit, kernel_calls.exit);
  look_up("_Exit", &calls.exit_of_c, kernel_calls.exit_of_c);
  look_up("abort", &calls.abort, kernel_calls.abort);
  look_up("chroot", &calls.chroot, kernel_calls.chroot);
  look_up("execve", &calls.execve, kernel_calls.execve);
  look_up("execv", &calls.execv, kernel_calls.execv);
  look_up("execvp", &calls.execvp, kernel_calls.execvp);
  look_up("execvpe", &calls.execvpe, kernel_calls.execvpe);
  look_up("execveat", &calls.execveat, kernel_calls.execveat);
  look_up("fexecve", &calls.fexecve, kernel_calls.fexecve);
  look_up("execl", &calls.execl, kernel_calls.execl);
  look_up("execlp", &calls.execlp, kernel_calls.execlp);
  look_up("execle", &calls.execle, kernel_calls.execle);
  errno = saved;
  __atomic_store_n(&known, 1, __ATOMIC_RELEASE);
}

}  // namespace

// Constructors of libraries that are loaded earlier may come before find_next_calls().
const NextCalls& next_calls() {
  if (__atomic_load_n(&known, __ATOMIC_ACQUIRE) == 0) look_up_all();
  return calls;
}

void find_next_calls() {
  next_calls();
  sampler::next_functions();
  find_loader_calls();
  find_filter_calls();
  find_spawn_calls();
}

}  // namespace gprof_runtime
