/* Calls of a function that does next to nothing. tiny CALLS [THREADS]: prints the nanoseconds of
 * CPU time per call, averaged over the threads. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { most_threads = 64 };

static long calls;
static pthread_barrier_t all_began;
static double nanoseconds_a_call[most_threads];

__attribute__((noinline)) int tiny(int number) {
  __asm__ volatile("");
  return number + 1;
}

__attribute__((noinline)) int call_tiny(long count) {
  int number = 0;
  for (long i = 0; i < count; i++) number = tiny(number);
  return number;
}

static double cpu_time(void) {
  struct timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static void* run(void* result) {
  call_tiny(1000); /* starts the collector */
  pthread_barrier_wait(&all_began);
  const double begin = cpu_time();
  call_tiny(calls);
  *(double*)result = (cpu_time() - begin) / (double)calls;
  return NULL;
}

int main(int argument_count, char** arguments) {
  pthread_t threads[most_threads];
  const int count = argument_count > 2 ? atoi(arguments[2]) : 1;
  double sum = 0;
  if (argument_count < 2 || count < 1 || count > most_threads) return 2;
  calls = atol(arguments[1]);
  pthread_barrier_init(&all_began, NULL, (unsigned)count);
  for (int i = 0; i < count; i++) pthread_create(&threads[i], NULL, run, &nanoseconds_a_call[i]);
  for (int i = 0; i < count; i++) pthread_join(threads[i], NULL);
  for (int i = 0; i < count; i++) sum += nanoseconds_a_call[i];
  printf("%.4f\n", sum / count);
  return 0;
}
