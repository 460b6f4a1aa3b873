// What the profiler of a board without an operating system needs of it.
#pragma once

#include <stddef.h>
#include <stdint.h>

#define UNCOUNTED __attribute__((no_instrument_function))
// Where code runs without waiting for the flash memory.
#define IN_FAST_MEMORY __attribute__((noinline, section(".fast_text")))

// Program counters in [low, high) that the timer saw.
struct region {
  uintptr_t low;
  uintptr_t high;
  uint16_t *bins;  // one for each four bytes
  uint32_t bin_count;
};

// The board's code, which the linker script knows the ends of.
UNCOUNTED size_t regions(struct region *found, size_t room);
// Calls sample() `rate` times a second, until stop_timer().
UNCOUNTED void start_timer(uint32_t rate);
UNCOUNTED void stop_timer(void);
// One call of the host, which debuggers and emulators know as semihosting.
UNCOUNTED intptr_t ask_host(intptr_t operation, const void *arguments);

// A file of the host. The program ends if it cannot be written.
UNCOUNTED int open_output(const char *name);
UNCOUNTED void write_output(int file, const void *bytes, size_t size);
UNCOUNTED _Noreturn void end_program(int status);

// By the board's interrupt and mcount.
UNCOUNTED void sample(uintptr_t counter);
UNCOUNTED void count_call(uintptr_t from, uintptr_t self);

UNCOUNTED void start_profile(void);
UNCOUNTED void write_profile(const char *name);

// The program.
int run(void);
