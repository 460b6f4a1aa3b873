// Marks functions that read other functions' frames, which sanitizers would report.
#pragma once

#if defined(__clang__)
#define GPROF_UNCHECKED __attribute__((no_sanitize("address", "thread", "undefined", "memory")))
#else
#define GPROF_UNCHECKED __attribute__((no_sanitize("address,thread,undefined")))
#endif
