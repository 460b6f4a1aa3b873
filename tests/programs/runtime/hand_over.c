// Two threads on one CPU that hand a byte to each other, and then compute. Prints how many of
// perf's events the process has, and what its context switches cost: `NAME NUMBER`, in nanoseconds.
#define _GNU_SOURCE
#include <dirent.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static int there[2], back[2];

static long long clock_of(clockid_t clock) {
  struct timespec time;
  clock_gettime(clock, &time);
  return time.tv_sec * 1000000000LL + time.tv_nsec;
}

static long long cpu_clock(void) { return clock_of(CLOCK_THREAD_CPUTIME_ID); }

static long switches(void) {
  struct rusage usage;
  getrusage(RUSAGE_THREAD, &usage);
  return usage.ru_nvcsw + usage.ru_nivcsw;
}

// What stopping and starting a clock of perf takes; 0 if there may be none.
static long long price_of_event(void) {
  struct perf_event_attr attributes;
  long long least = 0;
  memset(&attributes, 0, sizeof attributes);
  attributes.size = sizeof attributes;
  attributes.type = PERF_TYPE_SOFTWARE;
  attributes.config = PERF_COUNT_SW_CPU_CLOCK;
  attributes.sample_period = 1000000;
  attributes.exclude_kernel = attributes.exclude_hv = attributes.disabled = 1;
  const int event = (int)syscall(SYS_perf_event_open, &attributes, 0, -1, -1, 0);
  if (event < 0) return 0;
  for (int i = 0; i < 100; i++) {
    const long long begin = clock_of(CLOCK_MONOTONIC);
    ioctl(event, PERF_EVENT_IOC_ENABLE, 0);
    ioctl(event, PERF_EVENT_IOC_DISABLE, 0);
    const long long took = clock_of(CLOCK_MONOTONIC) - begin;
    if (i == 0 || took < least) least = took;
  }
  close(event);
  return least;
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
  const long before = switches();
  const long long end = cpu_clock() + milliseconds * 1000000LL;
  pthread_create(&thread, NULL, answer, NULL);
  while (cpu_clock() < end) {
    if (write(there[1], &byte, 1) != 1 || read(back[0], &byte, 1) != 1) abort();
  }
  print_events("handing");
  printf("cpu_of_switch %lld\n", milliseconds * 1000000LL / (switches() - before + 1));
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
  printf("price %lld\n", price_of_event());
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
