// hammered SIGNALS: threads that make calls while another sends each of them signals as fast as they
// are taken; the handlers make calls as well, and are themselves interrupted by another signal.
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

enum { threads = 4 };
static atomic_long outer_signals, inner_signals, rounds;
static atomic_int done;
static long wanted;
static pthread_t ids[threads];

__attribute__((noinline)) void tiny(void) { __asm__ volatile(""); }

__attribute__((noinline)) void on_inner(int number) {
  (void)number;
  tiny();
  atomic_fetch_add(&inner_signals, 1);
}

__attribute__((noinline)) void on_outer(int number) {
  (void)number;
  for (int i = 0; i < 10; i++) tiny();
  atomic_fetch_add(&outer_signals, 1);
}

__attribute__((noinline)) void* worker(void* unused) {
  long mine = 0;
  while (!atomic_load_explicit(&done, memory_order_relaxed)) {
    tiny();
    mine++;
  }
  atomic_fetch_add(&rounds, mine);
  return unused;
}

int main(int count, char** arguments) {
  wanted = count > 1 ? atol(arguments[1]) : 20000;
  struct sigaction outer = {.sa_handler = on_outer}, inner = {.sa_handler = on_inner};
  sigaction(SIGUSR1, &outer, NULL);
  sigaction(SIGUSR2, &inner, NULL);
  for (int i = 0; i < threads; i++) pthread_create(&ids[i], NULL, worker, NULL);
  while (outer_signals + inner_signals < wanted) {
    for (int i = 0; i < threads; i++) {
      pthread_kill(ids[i], SIGUSR1);
      pthread_kill(ids[i], SIGUSR2);
    }
  }
  done = 1;
  for (int i = 0; i < threads; i++) pthread_join(ids[i], NULL);
  printf("outer %ld\ninner %ld\nrounds %ld\n", (long)outer_signals, (long)inner_signals,
         (long)rounds);
  return 0;
}
