// foo is cheap when a calls it, 990 times, and dear when b calls it, 10 times: the average is wrong.
#include <stdlib.h>

static void spin(long rounds) {
  for (volatile long i = 0; i < rounds; i++) continue;
}

__attribute__((noinline)) void foo(int dear) {
  if (dear) spin(40 * 1000 * 1000);
}
__attribute__((noinline)) void a(void) {
  for (int i = 0; i < 990; i++) foo(0);
}
__attribute__((noinline)) void b(void) {
  for (int i = 0; i < 10; i++) foo(1);
}

// With frames that a walk has to pass: a comparator that burns, called by qsort.
__attribute__((noinline)) int cmp(const void* left, const void* right) {
  spin(2000 * 1000);
  return *(const int*)left - *(const int*)right;
}
__attribute__((noinline)) void sorts(void) {
  int numbers[] = {5, 3, 8, 1, 9, 2, 7, 4, 6, 0, 15, 13, 18, 11, 19, 12};
  qsort(numbers, sizeof numbers / sizeof *numbers, sizeof *numbers, cmp);
}
__attribute__((noinline)) void deep(int depth) {
  if (depth == 0)
    spin(100 * 1000 * 1000);
  else
    deep(depth - 1);
  __asm__ volatile("");
}

int main(int count, char** arguments) {
  a();
  b();
  sorts();
  deep(count > 1 ? atoi(arguments[1]) : 10);
  return 0;
}
