// In static programs, which have the functions of the libc that they were linked with.
#include <stdlib.h>

#include "runtime/system/libc_functions.h"

// Declared again as weak: null if libc does not have it.
// NOLINTNEXTLINE(readability-redundant-declaration)
extern "C" int _dl_find_object(void* address, struct dl_find_object* result) noexcept
    __attribute__((weak));

namespace gprof_runtime {

const LibcFunctions& libc_functions() {
  static constexpr LibcFunctions functions = {&_dl_find_object, &pthread_key_create,
                                              &pthread_setspecific};
  return functions;
}

bool libc_is_glibc() { return true; }

void register_at_fork(void (*before)(), void (*in_parent)(), void (*in_child)()) {
  pthread_atfork(before, in_parent, in_child);
}

void register_at_quick_exit(void (*function)()) { at_quick_exit(function); }

int register_on_exit(void (*function)(int status, void* argument), void* argument) {
  return on_exit(function, argument);
}

void find_libc_functions() {}

}  // namespace gprof_runtime
