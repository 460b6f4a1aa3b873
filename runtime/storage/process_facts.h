// Facts about processes, from the kernel.
//
// Thread contract: any thread, any signal handler. Errors: 0 if the kernel does not say.
#pragma once

#include <cstdint>

namespace gprof_runtime {

#if defined(__x86_64__)
inline constexpr std::uint32_t machine_number = 62;
#else
inline constexpr std::uint32_t machine_number = 183;
#endif

// Field 22 of /proc/self/stat: when the process started, in clock ticks since boot. Distinguishes a
// process from a later one with the same id.
std::uint64_t process_start_ticks();
// The same for another process, from /proc/PROCESS/stat.
std::uint64_t process_start_ticks(std::uint32_t process);

// Field 4 of /proc/PROCESS/stat.
std::uint32_t parent_of(std::uint32_t process);

std::uint64_t realtime_nanoseconds();

// The executable's entry point; a run-time address.
std::uint64_t entry_address();

}  // namespace gprof_runtime
