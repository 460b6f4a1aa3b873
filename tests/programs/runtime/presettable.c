// Calls, says so, and goes on when a line comes: in between a test may read the mapped counters and
// change them.
#include <stdio.h>

__attribute__((noinline)) void counted(void) { __asm__ volatile(""); }
__attribute__((noinline)) void caller(int times) {
  for (int i = 0; i < times; i++) counted();
}
__attribute__((noinline)) void burn(void) {
  for (volatile long i = 0; i < 200 * 1000 * 1000; i++) continue;
}

int main(void) {
  caller(5);
  burn();
  puts("ready");
  fflush(stdout);
  while (getchar() == '\n') {
    caller(5);
    puts("more");
    fflush(stdout);
  }
  return 0;
}
