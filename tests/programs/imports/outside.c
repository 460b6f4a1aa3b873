#include "work.h"

// The same name as in the program.
KEPT static long step(long rounds) {
  volatile long sum = 0;
  for (long i = 0; i < rounds; ++i) sum = sum ^ i;
  return sum;
}

KEPT long outside(long rounds) { return step(rounds) + 3; }
