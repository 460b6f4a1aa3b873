// In the shared library.
#include "runtime/system/libc_functions.h"

#include "runtime/system/dynamic_symbols.h"
#include "runtime/system/vector_guard.h"

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

void find_libc_functions() {
  const VectorGuard guard;
  keep(next_symbol("_dl_find_object"), &functions.find_object);
  void* const set_specific = thread_symbol("pthread_setspecific", Missing::stays);
  if (set_specific == nullptr) return;
  keep(set_specific, &functions.set_specific);
  keep(thread_symbol("pthread_key_create", Missing::stays), &functions.key_create);
}

}  // namespace gprof_runtime
