// A program for `record` that is built without -pg: each function takes the CPU time that it is
// given, in milliseconds.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
volatile double sum;
static double cpu_time(void) {
  struct timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return 1e3 * (double)now.tv_sec + 1e-6 * (double)now.tv_nsec;
}
#define BURN(milliseconds) \
  for (double end = cpu_time() + (milliseconds); cpu_time() < end;) \
    for (int i = 0; i < 200000; i++) sum = sum + i * 0.5
__attribute__((noinline)) void early(void) { BURN(100); sum++; }
__attribute__((constructor)) static void begin(void) { if (getenv("EARLY")) early(); }
__attribute__((noinline)) void inner(double milliseconds) { BURN(milliseconds); sum++; }
__attribute__((noinline)) void cheap(double milliseconds) { inner(milliseconds); sum++; }
__attribute__((noinline)) void dear(double milliseconds) { inner(milliseconds); sum++; }
static int compare(const void *a, const void *b) {
  inner(0.2);
  return *(const int *)a - *(const int *)b;
}
static void *run(void *nothing) { inner(50); return nothing; }
int main(int count, char **words) {
  const char *what = count > 1 ? words[1] : "";
  if (!strcmp(what, "burn")) {
    const double milliseconds = atof(words[2]);
    cheap(milliseconds / 4);
    dear(milliseconds * 3 / 4);
  }
  if (!strcmp(what, "sort")) {
    int values[100];
    for (int i = 0; i < 100; i++) values[i] = i * 37 % 100;
    qsort(values, 100, sizeof *values, compare);
  }
  if (!strcmp(what, "threads")) {
    pthread_t threads[3];
    for (int i = 0; i < 3; i++) pthread_create(&threads[i], NULL, run, NULL);
    for (int i = 0; i < 3; i++) pthread_join(threads[i], NULL);
  }
  printf("%s %.0f\n", what, sum * 0);
  return count > 3 ? atoi(words[3]) : 0;
}
