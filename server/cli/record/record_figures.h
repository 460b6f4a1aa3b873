// How good a profile is, in numbers: what `gprof-lsp record` reports about one process's profile,
// or several together.
//
// Units: times are nanoseconds. Ownership: value types. Thread contract: pure functions, except for
// what CollectorCode reads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/gmon/sidecar.h"
#include "server/cli/record/record_collector.h"

namespace gprof::lsp {

// By the realtime clock.
struct TimeSpan {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

struct ProfileFigures {
  std::uint64_t calls = 0;
  bool counts_calls = false;            // in some process, code built with -pg
  bool counts_no_calls = false;         // in some process, none
  bool observed = false;                // a running process was sampled, without the collector
  std::uint64_t samples = 0;            // by weight
  std::uint64_t collector_samples = 0;  // of them, in the collector's own code
  std::uint64_t library_samples = 0;    // of them, in files without a profile of their own
  std::uint64_t elsewhere_samples = 0;  // of them, in code that is in no file
  std::uint64_t cpu_time = 0;           // while sampled
  std::uint64_t unsampled_time = 0;     // CPU time of threads that could not be sampled
  std::uint64_t earlier_time = 0;       // CPU time before counting began
  double counting_time = 0;             // estimate: measured overhead per call times calls
  SamplingQuality sampling;
  std::uint32_t requested_rate = 0;  // samples per second of CPU time; 0: none
  SampleSource source = SampleSource::none;
  bool has_timer = true;       // the system provided a clock for sampling
  std::vector<TimeSpan> ran;   // one per process
  std::uint64_t cpu_wait = 0;  // waiting for a CPU, of one thread alone; 0: not known
  bool measures_waits = false;
  std::uint64_t waited = 0;  // nanoseconds, of all threads, without what is idle
  std::uint64_t idle = 0;    // the same of threads that waited for work (profile/idle_waits.h)
  std::size_t threads = 0;
  std::uint64_t lost_calls = 0;
  std::uint64_t lost_samples = 0;
  std::uint64_t lost_stacks = 0;
  bool limited = false;                // the live counters reached their limit
  std::uint64_t stacks = 0;            // samples with a stack
  std::uint64_t truncated_stacks = 0;  // of them, those whose outer callers are missing
  bool incomplete = false;  // some counters were not in the live file when the process died
};

[[nodiscard]] ProfileFigures figures_of(const Sidecar& sidecar, CollectorCode& collector);

// Counts and times add up, saturating; rates and sources do not: the first one set stays.
void add_figures(ProfileFigures& total, const ProfileFigures& other);

// How long any of the processes ran, waiting included; 0 if not known.
[[nodiscard]] std::uint64_t wall_time(const ProfileFigures& figures);

}  // namespace gprof::lsp
