// Asks the loader which executable or library holds an address.
//
// Thread contract: any thread, any signal handler; no locks. Preserves vector registers.
#pragma once

#include <cstdint>

#include <dlfcn.h>

namespace gprof_runtime {

// False if none does.
bool ask_loader(std::uint64_t address, struct dl_find_object* found);

}  // namespace gprof_runtime
