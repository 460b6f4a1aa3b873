#include <stdio.h>

#include "shared.h"

int work(int n);

static int same_name(int x) { return fifty_steps(x) + 2; } /* of main.c */

int main(void) {
  int total = work(300);
  for (int i = 0; i < 120; i++) total += same_name(i);
  int (*pointer)(int) = same_name;
  for (int i = 0; i < 7; i++) total += pointer(i);
  printf("%d\n", total);
  return 0;
}
