// What the kernel says of this process.
//
// Thread contract: any thread, any signal handler. Errors: 0 where the kernel does not say.
#pragma once

#include <cstdint>

namespace gprof_runtime {

#if defined(__x86_64__)
inline constexpr std::uint32_t machine_number = 62;
#else
inline constexpr std::uint32_t machine_number = 183;
#endif

// Field 22 of /proc/self/stat: when the process began, in clock ticks since the system started.
// Tells a process from a later one of the same number.
std::uint64_t process_start_ticks();
// Of another process, /proc/PROCESS/stat.
std::uint64_t process_start_ticks(std::uint32_t process);

// Field 4 of /proc/PROCESS/stat.
std::uint32_t parent_of(std::uint32_t process);

std::uint64_t realtime_nanoseconds();

// Where the executable's code begins to run; a run-time address.
std::uint64_t entry_address();

}  // namespace gprof_runtime
