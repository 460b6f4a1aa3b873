#include "runtime/system/loader.h"

#include "runtime/system/libc_functions.h"
#include "runtime/system/link_maps.h"
#include "runtime/system/vector_guard.h"

namespace gprof_runtime {

bool ask_loader(std::uint64_t address, struct dl_find_object* found) {
  const auto find = __atomic_load_n(&libc_functions().find_object, __ATOMIC_ACQUIRE);
  if (find == nullptr) return find_in_link_maps(address, found);
  const VectorGuard guard;
  return find(reinterpret_cast<void*>(address), found) == 0;
}

}  // namespace gprof_runtime
