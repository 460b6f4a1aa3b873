// What optimisers make of functions: clones with dots in their names. GNU C's nested functions have
// dots too.
#include <stdio.h>
#include <stdlib.h>

struct box {
  int width, height, unused;
};

__attribute__((noinline)) static int scaled(int value, int factor, int offset) {
  int sum = offset;
  for (int i = 0; i < value % 9; ++i) sum += factor * i;
  return sum;
}

__attribute__((noinline)) static int area(const struct box* box) {
  return box->width * box->height;
}

__attribute__((cold, noinline)) static void complain(int value) {
  if (value < -100000) exit(value);
}

__attribute__((noinline)) int checked(int value) {
  if (__builtin_expect(value < 0, 0)) {
    complain(value);
    fprintf(stderr, "negative: %d\n", value);
    abort();
  }
  return scaled(value, 3, 4) + scaled(value + 1, 3, 4);
}

#ifndef __clang__
int nested(int limit) {
  int total = 0;
  __attribute__((noinline)) void add(int value) { total += value; }
  {
    __attribute__((noinline)) void add(int value) { total += 2 * value; }
    add(1);
  }
  for (int i = 0; i < limit; ++i) add(i);
  return total;
}
#else
int nested(int limit) { return limit; }
#endif

static int counter(void) {
  static int calls;
  return ++calls;
}

int main(void) {
  int sum = 0;
  for (int i = 0; i < 500; ++i) {
    const struct box box = {i, i + 1, 0};
    sum += checked(i) + area(&box) + nested(i % 5) + counter();
  }
  return sum == 7;
}
