// Which executable or library holds an address, now and in the past.
//
// A module is recorded when an address of it is first seen, as a chunk of the live file, and stays
// there when the module is unloaded. Epochs tell which of two modules held an address: the number
// rises by one whenever modules are unloaded.
//
// Thread contract: any thread, any signal handler, unless stated.
#pragma once

#include <cstdint>

#include "runtime/storage/live_file.h"

namespace gprof_runtime::modules {

// The module that holds the address now; null where none does (or it cannot be recorded).
ModuleRecord* of_address(std::uint64_t address);

// The same, as far as it is recorded: null of a module that was not asked for before.
ModuleRecord* recorded(std::uint64_t address);

// The executable's. Null where it cannot be recorded.
ModuleRecord* main_module();

// As recorded, whether loaded or not: the module that held the address in the epoch. `hint` may be
// null or a module that is tried first.
const ModuleRecord* in_epoch(std::uint64_t address, std::uint64_t epoch,
                             const ModuleRecord* hint = nullptr);

inline std::uint64_t epoch() {
  const LiveHeader* header = live::header();
  return header != nullptr ? __atomic_load_n(&header->epoch, __ATOMIC_RELAXED) : 0;
}

// Whether modules that are recorded as loaded are gone: marks them unloaded, and raises the epoch.
// Returns whether there were any, and the epoch that ended in *ended. The caller keeps others from
// loading and unloading meanwhile.
bool retire_unloaded(std::uint64_t* ended);

// Forgets everything: after live::abandon().
void abandon();

}  // namespace gprof_runtime::modules
