// foo is cheap when a calls it, 990 times, and dear when b calls it, 10 times: the average is wrong.
#include <stdlib.h>

static volatile unsigned long turned;
// Each round waits for the one before it, so that no processor is much quicker than another.
static void spin(long rounds) {
  unsigned long value = turned;
  for (long i = 0; i < rounds; i++) value = value * 6364136223846793005ul + 1;
  turned = value;
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
