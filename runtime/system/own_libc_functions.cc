// In static programs, which have the functions of the libc that they were linked with.
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

void find_libc_functions() {}

}  // namespace gprof_runtime
