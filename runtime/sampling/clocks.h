// Clocks read by system call, in nanoseconds; 0 if the kernel refuses.
//
// Thread contract: any thread, any signal handler.
#pragma once

#include <cstdint>

#include <time.h>

#include "runtime/system/syscalls.h"

namespace gprof_runtime::sampler {

inline constexpr std::uint64_t second = 1000000000;

inline std::uint64_t nanoseconds(const timespec& time) {
  return static_cast<std::uint64_t>(time.tv_sec) * second +
         static_cast<std::uint64_t>(time.tv_nsec);
}

inline timespec time_of(std::uint64_t nanoseconds) {
  timespec time = {};
  time.tv_sec = static_cast<time_t>(nanoseconds / second);
  time.tv_nsec = static_cast<long>(nanoseconds % second);
  return time;
}

inline std::uint64_t read_clock(long clock) {
  timespec time = {};
  if (sys::failed(sys::call(__NR_clock_gettime, clock, sys::word(&time)))) return 0;
  return nanoseconds(time);
}

inline std::uint64_t thread_cpu_time() { return read_clock(CLOCK_THREAD_CPUTIME_ID); }

// The kernel's number for the CPU clock of any thread of this process.
inline long cpu_clock_of(std::uint32_t thread) {
  constexpr std::uint32_t of_thread = 4;
  constexpr std::uint32_t scheduled_time = 2;
  return static_cast<std::int32_t>(~thread << 3U | of_thread | scheduled_time);
}

}  // namespace gprof_runtime::sampler
