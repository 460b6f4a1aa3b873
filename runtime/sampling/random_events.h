// Events of a Poisson process: when the next one comes, and how many come within a duration.
//
// Samples are such events over a thread's CPU time. The process has no memory, so that no period of
// the program or the kernel can lock on, a thread's first sample is like any other, a thread that
// lives for a fraction of the mean interval is sampled as often as it should be, and n samples have
// variance n, whatever the program does.
//
// Units: nanoseconds. No floating point: see the collector's compiler flags. Thread contract: the
// owner of the state.
#pragma once

#include <cstdint>

namespace gprof_runtime::sampler {

struct RandomState {
  std::uint64_t value;
};

// `salt` distinguishes threads that start at the same moment.
void seed(RandomState* random, std::uint64_t salt);

// Uniform in [0, limit); `limit` must not be 0.
std::uint64_t random_below(RandomState* random, std::uint64_t limit);

// The time until the next event: exponential with the given mean.
std::uint64_t until_next_event(RandomState* random, std::uint64_t mean);

// When to report the next events, and how many. Events closer than `least` are reported together,
// `least` from now, so that a thread that ends soon afterwards gets them, too.
struct NextEvents {
  std::uint64_t after;
  std::uint64_t count;
};
NextEvents next_events(RandomState* random, std::uint64_t mean, std::uint64_t least);

// The number of events within `duration`: Poisson with mean `duration / mean`.
std::uint64_t events_within(RandomState* random, std::uint64_t mean, std::uint64_t duration);

}  // namespace gprof_runtime::sampler
