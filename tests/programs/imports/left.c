#include "work.h"

KEPT static long step(long rounds) {
  volatile long sum = 0;
  for (long i = 0; i < rounds; ++i) sum = sum + i;
  return sum;
}

KEPT long left(long rounds) { return step(rounds) + 1; }
