// Marks functions that read memory which sanitizers would report: the frames of other functions.
#pragma once

#if defined(__clang__)
#define GPROF_UNCHECKED __attribute__((no_sanitize("address", "thread", "undefined", "memory")))
#else
#define GPROF_UNCHECKED __attribute__((no_sanitize("address,thread,undefined")))
#endif
