// threads MODE THREADS CALLS: threads that count their own calls, for counts_test.py.
// MODE: together; one-by-one; running (the threads still run when main returns).
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static long calls;
static sem_t counted;
static int stay;

__attribute__((noinline)) void leaf(void) { __asm__ volatile(""); }
__attribute__((noinline)) void tiny(void) { __asm__ volatile(""); }
__attribute__((noinline)) void middle(void) {
  leaf();
  leaf();
  __asm__ volatile("");
}

static void finish(void) {
  sem_post(&counted);
  while (stay) pause();
}

__attribute__((noinline)) void* even(void* unused) {
  for (long i = 0; i < calls; i++) tiny();
  finish();
  return unused;
}

__attribute__((noinline)) void* odd(void* unused) {
  for (long i = 0; i < calls; i++) tiny();
  for (long i = 0; i < 100; i++) middle();
  finish();
  return unused;
}

static void* (*const starts[])(void*) = {even, odd};

int main(int count, char** arguments) {
  if (count != 4) return 2;
  int threads = atoi(arguments[2]);
  calls = atol(arguments[3]);
  int one_by_one = strcmp(arguments[1], "one-by-one") == 0;
  stay = strcmp(arguments[1], "running") == 0;
  sem_init(&counted, 0, 0);
  pthread_t* ids = calloc((size_t)threads, sizeof *ids);
  for (int i = 0; i < threads; i++) {
    if (pthread_create(&ids[i], NULL, starts[i % 2], NULL) != 0) return 3;
    if (one_by_one) pthread_join(ids[i], NULL);
  }
  for (int i = 0; i < threads; i++) sem_wait(&counted);
  for (int i = 0; i < threads && !stay && !one_by_one; i++) pthread_join(ids[i], NULL);
  printf("threads %d\n", threads);
  return 0;
}
