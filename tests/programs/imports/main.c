// Functions that readers of profiles confuse: of one name in several files and in a library, inlined ones, operators, a
// lambda, instances of templates, on two threads.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "work.h"

static long rounds = 1000;

// Calls itself.
KEPT static long descend(int depth) {
  long sum = left(rounds / 4);
  if (depth > 0) sum += descend(depth - 1);
  return sum + depth;
}

KEPT static void *other_thread(void *unused) {
  volatile long sum = right(rounds) + outside(rounds);
  (void)sum;
  return unused;
}

int main(int count, char **words) {
  pthread_t thread;
  if (count > 1) rounds = strtol(words[1], 0, 10);
  if (pthread_create(&thread, 0, other_thread, 0)) return 1;
  long sum = left(rounds) + outside(rounds) + shapes(rounds) + descend(3);
  pthread_join(thread, 0);
  printf("%ld\n", sum);
  return 0;
}
