// Which executable or library holds an address, now and in the past.
//
// A module is recorded in a chunk of the live file when one of its addresses is first seen; the
// record outlives the module. The epoch, incremented whenever modules are unloaded, distinguishes
// modules that held the same address at different times.
//
// Thread contract: any thread, any signal handler, unless stated.
#pragma once

#include <cstdint>

#include "runtime/storage/live_file.h"

namespace gprof_runtime::modules {

// The module that holds the address now; null if none does or it cannot be recorded.
ModuleRecord* of_address(std::uint64_t address);

// The same, but only among modules recorded so far; null otherwise.
ModuleRecord* recorded(std::uint64_t address);

// The executable; null if it cannot be recorded.
ModuleRecord* main_module();

// The recorded module, loaded or not, that held the address in the epoch. `hint`, tried first, may
// be null.
const ModuleRecord* in_epoch(std::uint64_t address, std::uint64_t epoch,
                             const ModuleRecord* hint = nullptr);

inline std::uint64_t epoch() {
  const LiveHeader* header = live::header();
  return header != nullptr ? __atomic_load_n(&header->epoch, __ATOMIC_RELAXED) : 0;
}

// Marks recorded modules that are gone as unloaded and, if there were any, increments the epoch.
// Returns whether there were any; *ended is the epoch that ended. The caller prevents loading and
// unloading meanwhile.
bool retire_unloaded(std::uint64_t* ended);

// Forgets everything; call after live::abandon().
void abandon();

}  // namespace gprof_runtime::modules
