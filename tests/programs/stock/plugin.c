// A plug-in, built twice with another KIND.
#include "work.h"

uint64_t run(uint64_t x, int rounds) {
  for (int i = 0; i < rounds; i++)
    x += KIND == 1 ? mixed(x, 30) + summed(x, 20) : divided(x, 20) + branched(x, 10);
  return x;
}
