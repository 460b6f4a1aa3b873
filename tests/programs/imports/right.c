#include "work.h"

// The same name as in left.c, with twice its work.
KEPT static long step(long rounds) {
  volatile long sum = 0;
  for (long i = 0; i < rounds; ++i) sum = sum + i;
  for (long i = 0; i < rounds; ++i) sum = sum - i;
  return sum;
}

KEPT long right(long rounds) { return step(rounds) + 2; }
