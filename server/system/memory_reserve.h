// Memory that is released when an allocation fails, so that code that cannot fail can still
// allocate until the failed load or request is abandoned: destroying a JSON value allocates, and so
// does reporting the failure.
//
// Thread contract: keep_memory_reserve() before threads start; renew_memory_reserve() on any.
#pragma once

namespace gprof::lsp {

// From now on, the first failed allocation uses the reserve; later ones throw std::bad_alloc.
void keep_memory_reserve();

// Refills the reserve, if memory is available again: before a load or a request begins.
void renew_memory_reserve();

}  // namespace gprof::lsp
