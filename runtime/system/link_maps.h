// Finds who holds an address in the loader's list of what is loaded, for versions of libc that
// cannot be asked (before glibc 2.35): dl_iterate_phdr() takes a lock that a signal handler must
// not wait for.
//
// Reads the list while other threads may change it: nothing here faults, and what is being loaded
// or unloaded may be missed. Only the main namespace: nothing that dlmopen() loaded elsewhere.
// Thread contract: any thread, any signal handler; no locks. Leaves vector registers alone.
#pragma once

#include <cstdint>

#include <dlfcn.h>

namespace gprof_runtime {

// As _dl_find_object() does. False if the address is in nothing that is loaded.
bool find_in_link_maps(std::uint64_t address, struct dl_find_object* found);

}  // namespace gprof_runtime
