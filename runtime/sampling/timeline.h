// Slices of the process's time, by which samples are counted: how far the run is, and how wide its
// slices are. When a run outgrows most_slices of them, or its tables too much memory, their width
// doubles: neighbours are joined.
//
// Units: nanoseconds since the header's start_time. Thread contract: start_timeline() while there
// is one thread; everything else any thread and any signal handler. None fails.
#pragma once

#include <cstdint>

namespace gprof_runtime::sampler {

// Once per process, again in a forked child.
void start_timeline();

inline constexpr std::uint64_t unknown_time = ~std::uint64_t{0};
// unknown_time if the clock is refused.
std::uint64_t elapsed_time();
// The same for a moment of monotonic_time(). A moment before the start counts as the start.
std::uint64_t elapsed_at(std::uint64_t monotonic);

// The width of slices at that time, which is the header's; doubled first if the run has outgrown
// it.
std::uint64_t slice_width_at(std::uint64_t elapsed);

// Doubles the width, unless another thread has done so since it was `width`.
void widen_slices(std::uint64_t width);

// In which slice of the width a time lies; no_slice if either is unknown.
std::uint32_t slice_at(std::uint64_t elapsed, std::uint64_t width);

}  // namespace gprof_runtime::sampler
