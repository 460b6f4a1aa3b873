// Spends time in functions without call frame information, each called by a function of its own:
// directly, and through a pointer.
//
// no_rules ROUNDS [NAME]: all of them, or one; "elsewhere": one whose callers cannot be found;
// "killed": one, then dies.
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef long Kernel(long rounds, void *more);

#define KERNELS(of)                                                                            \
  of(leaf) of(pushes) of(framed) of(big) of(moves) of(realigned) of(realigned_by_r10)          \
      of(loop_at_end) of(exit_by_table) of(lies) of(lies_of_the_end) of(lies_of_more)

long calls_back(long rounds, Kernel *called);

__attribute__((noinline)) long stays(long rounds) {
  volatile long value = 0;
  for (long i = 0; i < rounds; ++i) value = value * 3 + i;
  return value;
}

#define DEFINE(name)                                                        \
  long name(long rounds, void *more);                                       \
  __attribute__((noinline)) long calls_##name(long rounds) {                \
    return name(rounds, 0) + 1;                                             \
  }                                                                         \
  __attribute__((noinline)) long points_to_##name(long rounds, Kernel *to) { \
    return to(rounds, 0) + 2;                                               \
  }                                                                         \
  __attribute__((noinline)) long leaves_to_##name(long rounds) { return name(rounds, 0); } \
  __attribute__((noinline)) long wraps_##name(long rounds) { return leaves_to_##name(rounds) + 3; }
KERNELS(DEFINE)

static volatile long total;

__attribute__((noinline)) long returns_from(long rounds) {
  return stays(rounds) + 1;
}

__attribute__((noinline)) void calls_calls_back(long rounds) {
  total += calls_back(rounds, (Kernel *)returns_from) + 1;
}

long elsewhere(long rounds, void *more);

int main(int count, char **words) {
  const long rounds = count > 1 ? atol(words[1]) : 1000;
  const char *only = count > 2 ? words[2] : "";
#define RUN(name)                                                       \
  if (only[0] == 0 || strcmp(only, #name) == 0) {                       \
    Kernel *volatile pointer = name;                                    \
    total += calls_##name(rounds);                                      \
    total += points_to_##name(rounds, pointer);                         \
    total += wraps_##name(rounds);                                      \
  }
  KERNELS(RUN)
  if (only[0] == 0 || strcmp(only, "calls_back") == 0) calls_calls_back(rounds / 4);
  if (only[0] == 0) total += stays(rounds / 4);
  if (strcmp(only, "elsewhere") == 0) total += elsewhere(rounds, 0) + 1;
  if (strcmp(only, "killed") == 0) {
    total += calls_pushes(rounds);
    raise(SIGKILL);
  }
  printf("total %ld\n", total & 1);
  return 0;
}
