// Two threads on one CPU that hand a byte to each other, and then compute. Prints how many of
// perf's events the process has: `NAME NUMBER`.
#define _GNU_SOURCE
#include <dirent.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static int there[2], back[2];

static long long cpu_clock(void) {
  struct timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return time.tv_sec * 1000000000LL + time.tv_nsec;
}

static void compute(long milliseconds) {
  static __thread volatile unsigned long sum;
  const long long end = cpu_clock() + milliseconds * 1000000LL;
  while (cpu_clock() < end) {
    for (int i = 0; i < 100000; i++) sum += i;
  }
}

static int count_events(void) {
  DIR* folder = opendir("/proc/self/fd");
  struct dirent* entry;
  int count = 0;
  if (folder == NULL) abort();
  while ((entry = readdir(folder)) != NULL) {
    char path[300], target[64];
    snprintf(path, sizeof path, "/proc/self/fd/%s", entry->d_name);
    const ssize_t length = readlink(path, target, sizeof target - 1);
    target[length < 0 ? 0 : length] = '\0';
    count += strcmp(target, "anon_inode:[perf_event]") == 0;
  }
  closedir(folder);
  return count;
}

static void print_events(const char* name) { printf("%s %d\n", name, count_events()); }

static void* answer(void* argument) {
  char byte;
  while (read(there[0], &byte, 1) == 1 && byte == 0) {
    if (write(back[1], &byte, 1) != 1) abort();
  }
  return argument;
}

// Until each thread has run for so long.
static void hand_over(long milliseconds) {
  pthread_t thread;
  char byte = 0;
  const long long end = cpu_clock() + milliseconds * 1000000LL;
  pthread_create(&thread, NULL, answer, NULL);
  while (cpu_clock() < end) {
    if (write(there[1], &byte, 1) != 1 || read(back[0], &byte, 1) != 1) abort();
  }
  print_events("handing");
  byte = 1;
  if (write(there[1], &byte, 1) != 1) abort();
  pthread_join(thread, NULL);
}

static void* count_at_start(void* argument) {
  print_events("started");
  return argument;
}

int main(void) {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(sched_getcpu(), &one);
  sched_setaffinity(0, sizeof one, &one);
  if (pipe(there) != 0 || pipe(back) != 0) return 1;
  compute(20);
  print_events("before");
  hand_over(200);
  pthread_t thread;
  pthread_create(&thread, NULL, count_at_start, NULL);
  pthread_join(thread, NULL);
  compute(1000);
  // On a busy machine other programs make it switch often, too, until they are calm.
  for (int i = 0; i < 60 && count_events() == 0; i++) compute(1000);
  print_events("after");
  return 0;
}
