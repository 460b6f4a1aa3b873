// Self recursion, mutual recursion, and recursion through a pointer; the counts follow from theory.
#include <stdio.h>

__attribute__((noinline)) int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }

int is_odd(int n);
__attribute__((noinline)) int is_even(int n) {
  int result = n == 0 ? 1 : is_odd(n - 1);
  __asm__ volatile("" : "+r"(result));
  return result;
}
__attribute__((noinline)) int is_odd(int n) {
  int result = n == 0 ? 0 : is_even(n - 1);
  __asm__ volatile("" : "+r"(result));
  return result;
}

typedef long Walk(int depth, void* self);
__attribute__((noinline)) long walk(int depth, void* self) {
  long sum = depth;
  if (depth > 0) sum += ((Walk*)self)(depth - 1, self) + ((Walk*)self)(depth - 1, self);
  return sum;
}

int main(void) {
  printf("fib %d\neven %d\nwalk %ld\n", fib(20), is_even(1001), walk(10, (void*)walk));
  return 0;
}
