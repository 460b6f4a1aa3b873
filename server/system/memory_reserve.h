// Memory that is released when an allocation fails, so that code that cannot fail can still
// allocate until the failed load or request is abandoned: destroying a JSON value allocates, and so
// does reporting the failure.
//
// Thread contract: keep_memory_reserve() before threads start; renew_memory_reserve() on any. A
// MemoryPatience is of the thread that made it, and is destroyed there.
#pragma once

#include <cstddef>

namespace gprof::lsp {

// From now on, the first failed allocation uses the reserve; later ones throw std::bad_alloc.
void keep_memory_reserve();

// Refills the reserve, if memory is available again: before a load or a request begins.
void renew_memory_reserve();

// Whether as many bytes could be had now; they are not kept.
[[nodiscard]] bool can_allocate(std::size_t bytes);

// While one lives, an allocation of this thread that fails waits for others to free memory, for up
// to ten seconds in all, before it throws: for the few bytes with which a failure is told, without
// which a client would wait for ever.
class MemoryPatience {
 public:
  MemoryPatience();
  ~MemoryPatience();
  MemoryPatience(const MemoryPatience&) = delete;
  MemoryPatience& operator=(const MemoryPatience&) = delete;
};

}  // namespace gprof::lsp
