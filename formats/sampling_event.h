// perf's software clock as the collector opens it for each thread, and `record` to measure its
// price.
//
// Units: nanoseconds. Thread contract: a pure function.
#pragma once

#include <cstdint>

#include <linux/perf_event.h>

namespace gprof_formats {

// Strikes in user mode, each `interval` of the thread's CPU time, once it is enabled.
inline perf_event_attr sampling_event(std::uint64_t interval) {
  perf_event_attr attributes = {};
  attributes.type = PERF_TYPE_SOFTWARE;
  attributes.size = PERF_ATTR_SIZE_VER0;
  attributes.config = PERF_COUNT_SW_TASK_CLOCK;
  attributes.sample_period = interval;
  attributes.disabled = 1;
  attributes.exclude_kernel = 1;
  attributes.exclude_hv = 1;
  attributes.wakeup_events = 1;
  return attributes;
}

}  // namespace gprof_formats
