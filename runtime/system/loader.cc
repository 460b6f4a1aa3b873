#include "runtime/system/loader.h"

#include "runtime/system/vector_guard.h"

// Declared again as weak: null if libc does not have it.
// NOLINTNEXTLINE(readability-redundant-declaration)
extern "C" int _dl_find_object(void* address, struct dl_find_object* result) noexcept
    __attribute__((weak));

namespace gprof_runtime {

bool ask_loader(std::uint64_t address, struct dl_find_object* found) {
  if (_dl_find_object == nullptr) return false;
  const VectorGuard guard;
  return _dl_find_object(reinterpret_cast<void*>(address), found) == 0;
}

}  // namespace gprof_runtime
