// What live counters and sidecars both say of how a program was observed: the numbers that stand in
// both files. docs/gmon-format.md is the specification.
//
// Units: times are nanoseconds. Thread contract: constants and plain structs. Whoever reads a file
// may find numbers that a newer collector has added.
#pragma once

#include <cstdint>

namespace gprof_formats {

// How the program ended, as far as the collector saw it.
enum class Ending : std::uint32_t {
  unknown = 0,   // still running, or nobody saw it
  returned = 1,  // exit() or a return from main
  exit_now = 2,  // _exit, _Exit, quick_exit
  aborted = 3,
  executed = 4,  // another image took over the process
  dumped = 5,    // gprof_dump(); the program went on
  // What `gprof-lsp record` and `recover` add:
  killed = 6,  // by the signal that is in exit_status
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
// Some tables did not fit into the file (full disk, no file) and were in the process alone.
inline constexpr std::uint32_t incomplete = 4;
inline constexpr std::uint32_t forked = 8;  // a child: without its parent's counts before the fork
}  // namespace process_flags

namespace module_flags {
inline constexpr std::uint32_t main = 1;          // the executable
inline constexpr std::uint32_t profiled = 2;      // it counts its own calls
inline constexpr std::uint32_t blocks = 4;        // it counts its own blocks
inline constexpr std::uint32_t unloaded = 0x100;  // in sidecars alone
}  // namespace module_flags

// How well samples tell the time, of all threads; docs/gmon-format.md, section "How good samples
// are". All are 0 in files of collectors that did not say.
struct SamplingQuality {
  std::uint64_t covered_time = 0;   // CPU time in which the clock ran as it was asked to
  std::uint64_t sampling_time = 0;  // CPU time that it took to take the samples
  // What weights add to the variance: the sum of w (w - 1) over samples of weight w at a tick.
  std::uint64_t excess_variance = 0;
  std::uint64_t tick_samples = 0;  // of CPU time in which the thread may be in step with the tick
  std::uint64_t tick_period = 0;   // of the kernel's tick; 0 where nothing is sampled by it

  friend bool operator==(const SamplingQuality&, const SamplingQuality&) = default;
};
static_assert(sizeof(SamplingQuality) == 40);

}  // namespace gprof_formats
