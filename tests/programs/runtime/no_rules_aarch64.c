// Spends time in functions without call frame information, each called by a function of its own:
// directly, and through a pointer.
//
// no_rules ROUNDS
#include <stdio.h>
#include <stdlib.h>

typedef long Kernel(long rounds);

#define KERNELS(of) of(leaf) of(frameless) of(pushes) of(big) of(vectors) of(lies)

#define DEFINE(name)                                                         \
  Kernel name;                                                               \
  __attribute__((noinline)) long calls_##name(long rounds) {                 \
    return name(rounds) + 1;                                                 \
  }                                                                          \
  __attribute__((noinline)) long points_to_##name(long rounds, Kernel *to) { \
    return to(rounds) + 2;                                                   \
  }
KERNELS(DEFINE)

int main(int count, char **words) {
  const long rounds = count > 1 ? atol(words[1]) : 1000;
  long total = 0;
#define RUN(name)                                \
  {                                              \
    Kernel *volatile pointer = name;             \
    total += calls_##name(rounds);               \
    total += points_to_##name(rounds, pointer);  \
  }
  KERNELS(RUN)
  printf("total %ld\n", total & 1);
  return 0;
}
