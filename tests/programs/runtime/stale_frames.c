// Spends its time in functions without call frame information whose frames hold return addresses
// of calls that have returned.
//
// stale_frames ROUNDS TURNS
#include <stdio.h>
#include <stdlib.h>

typedef long Kernel(long rounds, void *more);
Kernel large_frame, large_frame_by_table;

static volatile long total;

__attribute__((noinline)) static void innermost(long depth) { total += depth; }

// Leaves traces of direct calls, of calls through pointers, and of calls of libraries.
__attribute__((noinline)) void stale_direct(long depth) {
  volatile char bytes[96];
  bytes[depth % 96] = (char)depth;
  if (depth == 0) {
    innermost(depth);
  } else {
    stale_direct(depth - 1);
  }
  total += bytes[depth % 96];
}

static int stale_compare(const void *a, const void *b) {
  innermost(1);
  return *(const int *)a - *(const int *)b;
}

__attribute__((noinline)) void stale_sort(void) {
  int numbers[64];
  for (int i = 0; i < 64; ++i) numbers[i] = (i * 37) % 64;
  qsort(numbers, 64, sizeof numbers[0], stale_compare);
  total += numbers[3];
}

__attribute__((noinline)) void leaves_traces(void) {
  stale_direct(20);
  stale_sort();
}

#define DEFINE(name)                                                             \
  __attribute__((noinline)) void calls_##name(long rounds) {                     \
    leaves_traces();                                                             \
    total += name(rounds, 0);                                                    \
  }                                                                              \
  __attribute__((noinline)) void points_to_##name(long rounds, Kernel *kernel) { \
    leaves_traces();                                                             \
    total += kernel(rounds, 0);                                                  \
  }
DEFINE(large_frame)
DEFINE(large_frame_by_table)

int main(int count, char **words) {
  const long rounds = count > 1 ? atol(words[1]) : 1000;
  const int turns = count > 2 ? atoi(words[2]) : 1;
  Kernel *volatile pointer = large_frame;
  Kernel *volatile by_table = large_frame_by_table;
  for (int i = 0; i < turns; ++i) {
    calls_large_frame(rounds);
    points_to_large_frame(rounds, pointer);
    calls_large_frame_by_table(rounds);
    points_to_large_frame_by_table(rounds, by_table);
  }
  printf("total %ld\n", total & 1);
  return 0;
}
