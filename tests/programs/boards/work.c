// Functions with known calls; those in the fast memory and those in flash call each other.
#include "board.h"

static volatile unsigned sink;

IN_FAST_MEMORY void filter(unsigned rounds) {
  for (unsigned i = 0; i < rounds; ++i) sink += i * i;
}

__attribute__((noinline)) void transform(unsigned rounds) {
  for (unsigned i = 0; i < rounds; ++i) {
    sink ^= i;
    if ((i & 1023) == 0) filter(512);
  }
}

__attribute__((noinline)) static void report(unsigned number) {
  for (unsigned i = 0; i < 100 * number; ++i) sink += number;
}

IN_FAST_MEMORY void handle(unsigned event) {
  filter(1000);
  if (event % 4 == 0) report(event);
}

int run(void) {
  for (unsigned event = 0; event < 40; ++event) {
    transform(4096);
    handle(event);
  }
  return 0;
}
