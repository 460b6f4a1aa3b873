// Events of a Poisson process: when the next one comes, and how many come within a time.
//
// Samples are such events of a thread's CPU time. What has passed says nothing about what comes, so
// that no period of the program or of the kernel can lock on, the first sample of a thread is like
// any other, a thread that lives for a fraction of the mean interval is sampled as often as it
// should be, and n samples have the variance n, whatever the program does.
//
// Units: nanoseconds. No floating point: see the flags of the collector. Thread contract: the owner
// of the state.
#pragma once

#include <cstdint>

namespace gprof_runtime::sampler {

struct RandomState {
  std::uint64_t value;
};

// `salt` tells threads apart that begin at the same moment.
void seed(RandomState* random, std::uint64_t salt);

// Uniform, from 0 on. Not for a `limit` of 0.
std::uint64_t random_below(RandomState* random, std::uint64_t limit);

// Until the next event: exponential, with that mean.
std::uint64_t until_next_event(RandomState* random, std::uint64_t mean);

// When to tell of what comes next, and how many events it will be. Events that are nearer than
// `least` are told of together, `least` from now, so that what ends soon after has them too.
struct NextEvents {
  std::uint64_t after;
  std::uint64_t count;
};
NextEvents next_events(RandomState* random, std::uint64_t mean, std::uint64_t least);

// How many events there are within `duration`: Poisson, with the mean `duration / mean`.
std::uint64_t events_within(RandomState* random, std::uint64_t mean, std::uint64_t duration);

}  // namespace gprof_runtime::sampler
