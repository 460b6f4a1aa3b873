#include "shared.h"

int factorial(int n) {
  if (n <= 1) return 1;
  return n * factorial(n - 1); /* recursive call */
}

static int same_name(int x) { return fifty_steps(x) + 1; } /* of work.c */

int is_odd(int n);
int is_even(int n) { return n == 0 ? 1 : is_odd(n - 1); }
int is_odd(int n) { return n == 0 ? 0 : is_even(n - 1); }

int work(int n) {
  int total = 0;
  for (int i = 0; i < n; i++) {
    total += same_name(i);
    total ^= factorial(5);
  }
  total += is_even(10);
  return total;
}

int never_called_here(int x) { return x; }
