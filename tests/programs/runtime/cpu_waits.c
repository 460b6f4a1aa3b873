// Threads that compete for one CPU, in different ways. Prints of each its number, and between what
// it ran by the clock, in nanoseconds: at least from its first statement to its last, at most from
// before it was created until it was joined.
//
//   KIND THREADS MILLISECONDS
//
//   busy   computes
//   lock   takes one mutex with the others, computes with and without it
//   sleep  computes a little and sleeps, in turns
//   read   reads a file that is in memory
//   mixed  one after the other of these
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t all_there;
static const char* kind;
static long long wanted;

static long long now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1000000000LL + time.tv_nsec;
}

static void compute(int steps) {
  for (volatile int i = 0; i < steps; ++i) {
  }
}

static void take_turns(void) {
  pthread_mutex_lock(&mutex);
  compute(20000);
  pthread_mutex_unlock(&mutex);
  compute(5000);
}

static void doze(void) {
  const struct timespec pause = {.tv_nsec = 2000000};
  compute(100000);
  nanosleep(&pause, NULL);
}

static void read_file(void) {
  static char buffer[4][1 << 20];
  static __thread int mine = -1;
  static int next;
  if (mine < 0) mine = __atomic_fetch_add(&next, 1, __ATOMIC_RELAXED) % 4;
  const int file = open("file", O_RDONLY);
  while (read(file, buffer[mine], sizeof buffer[mine]) > 0) {
  }
  close(file);
}

static void step(int turn) {
  if (strcmp(kind, "busy") == 0) compute(100000);
  if (strcmp(kind, "lock") == 0) take_turns();
  if (strcmp(kind, "sleep") == 0) doze();
  if (strcmp(kind, "read") == 0) read_file();
  if (strcmp(kind, "mixed") != 0) return;
  if (turn % 4 == 0) compute(100000);
  if (turn % 4 == 1) take_turns();
  if (turn % 4 == 2) doze();
  if (turn % 4 == 3) read_file();
}

static void* run(void* elapsed) {
  const long long begun = now();
  pthread_barrier_wait(&all_there);
  for (int turn = 0; now() - begun < wanted; ++turn) step(turn);
  ((long long*)elapsed)[0] = syscall(SYS_gettid);
  ((long long*)elapsed)[1] = now() - begun;
  return NULL;
}

int main(int count, char** words) {
  if (count < 4) return 2;
  enum { most = 64 };
  pthread_t threads[most];
  long long elapsed[most][2];
  kind = words[1];
  const int wanted_threads = atoi(words[2]);
  wanted = atoll(words[3]) * 1000000;
  FILE* file = fopen("file", "w");
  for (int i = 0; i < 4 << 20; ++i) putc('x', file);
  fclose(file);
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(sched_getcpu(), &one);
  sched_setaffinity(0, sizeof one, &one);
  pthread_barrier_init(&all_there, NULL, (unsigned)wanted_threads);
  long long most_elapsed[most];
  for (int i = 0; i < wanted_threads; ++i) {
    most_elapsed[i] = -now();
    pthread_create(&threads[i], NULL, run, elapsed[i]);
  }
  for (int i = 0; i < wanted_threads; ++i) {
    pthread_join(threads[i], NULL);
    most_elapsed[i] += now();
  }
  for (int i = 0; i < wanted_threads; ++i) {
    printf("%lld %lld %lld\n", elapsed[i][0], elapsed[i][1], most_elapsed[i]);
  }
  return 0;
}
