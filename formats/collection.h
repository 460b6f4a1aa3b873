// How a program was observed, as live counters and sidecars both store it. docs/gmon-format.md is
// the specification.
//
// Units: times are nanoseconds. Thread contract: constants and plain structs. Readers may find
// values that a newer collector has added.
#pragma once

#include <cstdint>

namespace gprof_formats {

// How the program ended, as far as the collector knows.
enum class Ending : std::uint32_t {
  unknown = 0,   // still running, or nobody saw it
  returned = 1,  // exit() or a return from main
  exit_now = 2,  // _exit, _Exit, quick_exit
  aborted = 3,
  executed = 4,  // another image took over the process
  dumped = 5,    // gprof_dump(); the program continued
  // Set by `gprof-lsp record` and `recover`:
  killed = 6,  // by the signal in exit_status
};

enum class SampleSource : std::uint32_t {
  none = 0,
  thread_timers = 1,
  perf_clock = 2,
  process_timer = 3,  // setitimer
};

namespace process_flags {
inline constexpr std::uint32_t with_stacks = 1;
inline constexpr std::uint32_t kept_readable = 2;
// Some tables did not fit into the file (full disk, no file) and existed only in the process.
inline constexpr std::uint32_t incomplete = 4;
inline constexpr std::uint32_t forked = 8;  // a child: without its parent's counts before the fork
inline constexpr std::uint32_t with_waits =
    16;  // waits were asked for, whether there are any or not
// The limit of the live counters was reached: stacks or new arcs were given up, which are counted.
inline constexpr std::uint32_t limited = 32;
// Samples have their kernel_count; without this flag, 0 means unknown.
inline constexpr std::uint32_t marks_kernel_time = 64;
}  // namespace process_flags

namespace module_flags {
inline constexpr std::uint32_t main = 1;          // the executable
inline constexpr std::uint32_t profiled = 2;      // it counts its own calls
inline constexpr std::uint32_t blocks = 4;        // it counts its own blocks
inline constexpr std::uint32_t unloaded = 0x100;  // only in sidecars
}  // namespace module_flags

// How well samples measure time, over all threads; docs/gmon-format.md, section "How good samples
// are". All are 0 in files of collectors that did not record it.
struct SamplingQuality {
  std::uint64_t covered_time = 0;   // CPU time during which the clock ran as requested
  std::uint64_t sampling_time = 0;  // CPU time spent taking samples
  // What weights add to the variance: the sum of w (w - 1) over samples of weight w at a tick.
  std::uint64_t excess_variance = 0;
  std::uint64_t tick_samples = 0;  // of CPU time in which the thread may run in step with the tick
  std::uint64_t tick_period = 0;   // of the kernel's tick; 0 if nothing is sampled by it

  friend bool operator==(const SamplingQuality&, const SamplingQuality&) = default;
};
static_assert(sizeof(SamplingQuality) == 40);

}  // namespace gprof_formats
