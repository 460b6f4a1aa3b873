// Memory that is given up when an allocation fails, so that what cannot fail has what it needs
// until the load or the request that ran out has been given up: the end of a JSON value allocates,
// and so does what tells of the failure.
//
// Thread contract: keep_memory_reserve() before threads start; renew_memory_reserve() by any.
#pragma once

namespace gprof::lsp {

// From now on, the first allocation that fails takes from the reserve; those after it throw
// std::bad_alloc.
void keep_memory_reserve();

// Puts back what was taken, where there is memory again: before a load or a request begins.
void renew_memory_reserve();

}  // namespace gprof::lsp
