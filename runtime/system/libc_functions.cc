// In the shared library.
#include "runtime/system/libc_functions.h"

#include "runtime/system/dynamic_symbols.h"
#include "runtime/system/vector_guard.h"

// glibc's own, weak: a library that another libc cannot resolve would end the program.
extern "C" {
int __register_atfork(void (*before)(), void (*in_parent)(), void (*in_child)(), void* library)
    __attribute__((weak));
int __cxa_at_quick_exit(void (*function)(void*), void* library) __attribute__((weak));
int on_exit(void (*function)(int, void*), void* argument) noexcept __attribute__((weak));
extern void* __dso_handle __attribute__((visibility("hidden")));
}

namespace gprof_runtime {
namespace {

LibcFunctions functions;

template <typename Function>
void keep(void* found, Function* function) {
  if (found != nullptr) {
    __atomic_store_n(function, reinterpret_cast<Function>(found), __ATOMIC_RELEASE);
  }
}

}  // namespace

const LibcFunctions& libc_functions() { return functions; }

bool libc_is_glibc() {
  return &__register_atfork != nullptr && &__cxa_at_quick_exit != nullptr && &on_exit != nullptr;
}

void register_at_fork(void (*before)(), void (*in_parent)(), void (*in_child)()) {
  if (libc_is_glibc()) __register_atfork(before, in_parent, in_child, &__dso_handle);
}

void register_at_quick_exit(void (*function)()) {
  if (!libc_is_glibc()) return;
  // Called with an argument, which it ignores.
  __cxa_at_quick_exit(reinterpret_cast<void (*)(void*)>(function), &__dso_handle);
}

int register_on_exit(void (*function)(int status, void* argument), void* argument) {
  return libc_is_glibc() ? on_exit(function, argument) : -1;
}

void find_libc_functions() {
  const VectorGuard guard;
  keep(next_symbol("_dl_find_object"), &functions.find_object);
  void* const set_specific = thread_symbol("pthread_setspecific", Missing::stays);
  if (set_specific == nullptr) return;
  keep(set_specific, &functions.set_specific);
  keep(thread_symbol("pthread_key_create", Missing::stays), &functions.key_create);
}

}  // namespace gprof_runtime
