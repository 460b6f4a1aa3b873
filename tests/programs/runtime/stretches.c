// Threads with names, each busy in its own function for a stretch of time.
//
//   stretches two MILLISECONDS     "parser" is busy in parse(), and then "solver" in solve()
//   stretches main MILLISECONDS    one after the other in the main thread, which is called "first"
//                                  and then, by prctl(), "second"
//   stretches short COUNT THREADS  COUNT threads, THREADS at a time, each busy for a moment
//   stretches rests COUNT MILLISECONDS  the main thread is busy for a moment, rests so long, …
//   stretches kill MILLISECONDS    as `two`, and then kills itself
//
// Each is busy for at least so long by the clock, and for half of that on a processor. Prints when
// each began and ended to be busy, in microseconds of the realtime clock.
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

static volatile double sum;

static long now(void) {
  struct timespec time;
  clock_gettime(CLOCK_REALTIME, &time);
  return time.tv_sec * 1000000 + time.tv_nsec / 1000;
}

static long cpu_time(void) {
  struct timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return time.tv_sec * 1000000 + time.tv_nsec / 1000;
}

__attribute__((noinline)) static void step(void) { sum += 1; }

__attribute__((noinline)) static void parse(void) {
  for (int i = 0; i < 20000; ++i) sum += i * 0.5;
  step();
}

__attribute__((noinline)) static void solve(void) {
  for (int i = 0; i < 20000; ++i) sum += i * 0.25;
  step();
}

static void be_busy(const char* name, void (*work)(void), long microseconds) {
  const long start = now();
  const long start_on_processor = cpu_time();
  while (now() - start < microseconds || cpu_time() - start_on_processor < microseconds / 2) work();
  printf("%s_from %ld\n%s_to %ld\n", name, start, name, now());
}

static long stretch;

static void* parser(void* unused) {
  prctl(PR_SET_NAME, "parser");
  be_busy("parse", parse, stretch);
  return unused;
}

static pthread_t first;

static void* solver(void* unused) {
  pthread_join(first, NULL);
  be_busy("solve", solve, stretch);
  return unused;
}

static void two(void) {
  pthread_t second;
  pthread_create(&first, NULL, parser, NULL);
  pthread_create(&second, NULL, solver, NULL);
  pthread_setname_np(second, "solver");
  pthread_join(second, NULL);
}

static void* moment(void* number) {
  char name[16];
  snprintf(name, sizeof name, "short %ld", (long)number);
  prctl(PR_SET_NAME, name);
  const long start = cpu_time();
  do {
    ((long)number % 2 != 0 ? parse : solve)();
  } while (cpu_time() - start < 3000);
  return NULL;
}

static void many(long count, long together) {
  pthread_t* threads = calloc((size_t)together, sizeof *threads);
  for (long i = 0; i < count; i += together) {
    for (long j = 0; j < together; ++j) pthread_create(&threads[j], NULL, moment, (void*)(i + j));
    for (long j = 0; j < together; ++j) pthread_join(threads[j], NULL);
  }
}

int main(int count, char** arguments) {
  setvbuf(stdout, NULL, _IOLBF, 0);
  if (count < 3) return 2;
  const long number = atol(arguments[2]);
  step();
  if (strcmp(arguments[1], "two") == 0 || strcmp(arguments[1], "kill") == 0) {
    stretch = number * 1000;
    two();
    if (arguments[1][0] == 'k') kill(getpid(), SIGKILL);
  } else if (strcmp(arguments[1], "main") == 0) {
    pthread_setname_np(pthread_self(), "first");
    be_busy("parse", parse, number * 1000);
    prctl(PR_SET_NAME, "second");
    be_busy("solve", solve, number * 1000);
  } else if (strcmp(arguments[1], "short") == 0) {
    many(number, atol(arguments[3]));
  } else if (strcmp(arguments[1], "rests") == 0) {
    for (long i = 0; i < number; ++i) {
      if (i > 0) usleep((unsigned)atol(arguments[3]) * 1000);
      char name[32];
      snprintf(name, sizeof name, "parse%ld", i);
      be_busy(name, parse, 60000);
    }
  }
  return 0;
}
