/* Threads that live for one call. threads COUNT: prints the nanoseconds of wall and CPU time that
 * creating and joining one takes. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

__attribute__((noinline)) static int called(int number) {
  __asm__ volatile("");
  return number + 1;
}

static void* run(void* number) {
  *(int*)number = called(*(int*)number);
  return NULL;
}

static double read_clock(clockid_t clock) {
  struct timespec time;
  clock_gettime(clock, &time);
  return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

int main(int argument_count, char** arguments) {
  const int count = argument_count > 1 ? atoi(arguments[1]) : 0;
  int number = 0;
  if (count < 1) return 2;
  const double begin = read_clock(CLOCK_MONOTONIC);
  const double cpu_begin = read_clock(CLOCK_PROCESS_CPUTIME_ID);
  for (int i = 0; i < count; i++) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, run, &number) != 0) return 1;
    pthread_join(thread, NULL);
  }
  printf("%.1f %.1f\n", (read_clock(CLOCK_MONOTONIC) - begin) / count,
         (read_clock(CLOCK_PROCESS_CPUTIME_ID) - cpu_begin) / count);
  return number == count ? 0 : 1;
}
