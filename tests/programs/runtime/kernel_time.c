// kernel_time HOW THREADS MILLISECONDS: spends CPU time in the kernel, mostly outside of system calls.
// HOW: touch (fresh pages), map (small mappings), discard (pages given back and touched again), grow (an
// array that doubles), mixed (touch, and as much computing), yield.
// Prints the CPU time of the process, its part in the kernel, and that of `touch` and `compute`:
// `NAME NANOSECONDS`.
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>

static const size_t page = 4096;
static const char* how;
static long long milliseconds;  // of each thread
static atomic_llong touch_time, compute_time;

static long long cpu_clock(void) {
  struct timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return time.tv_sec * 1000000000LL + time.tv_nsec;
}

static char* map(size_t size) {
  char* memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) abort();
  madvise(memory, size, MADV_NOHUGEPAGE);
  return memory;
}

__attribute__((noinline)) static void touch(volatile char* memory, size_t size) {
  for (size_t i = 0; i < size; i += page) memory[i] = 1;
}

__attribute__((noinline)) static void compute(long rounds) {
  for (volatile long i = 0; i < rounds; i++) continue;
}

// Returns how long it took.
static long long touch_measured(size_t size) {
  char* memory = map(size);
  const long long begun = cpu_clock();
  touch(memory, size);
  const long long taken = cpu_clock() - begun;
  touch_time += taken;
  munmap(memory, size);
  return taken;
}

static void compute_for(long long time) {
  const long long begun = cpu_clock();
  long long taken;
  do {
    compute(300000);
    taken = cpu_clock() - begun;
  } while (taken < time);
  compute_time += taken;
}

static void grow(void) {
  size_t size = 1 << 16;
  char* all = malloc(size);
  for (; size < 64 << 20; size *= 2) {
    char* larger = malloc(2 * size);
    if (larger == NULL) abort();
    memcpy(larger, all, size);
    memset(larger + size, 1, size);
    free(all);
    all = larger;
  }
  free(all);
}

static void map_often(void) {
  for (int i = 0; i < 100; i++) {
    char* memory = map(16 * page);
    touch(memory, page);
    munmap(memory, 16 * page);
  }
}

static void discard(char* memory, size_t size) {
  touch(memory, size);
  madvise(memory, size, MADV_DONTNEED);
}

static void* run(void* argument) {
  const size_t size = 256 * page;
  char* own = map(size);
  while (cpu_clock() < milliseconds * 1000000) {
    if (!strcmp(how, "touch")) touch_measured(32 << 20);
    if (!strcmp(how, "map")) map_often();
    if (!strcmp(how, "discard")) discard(own, size);
    if (!strcmp(how, "grow")) grow();
    if (!strcmp(how, "yield")) for (int i = 0; i < 1000; i++) sched_yield();
    if (!strcmp(how, "mixed")) compute_for(touch_measured(16 << 20));
  }
  return argument;
}

static long long of_time(struct timeval time) { return time.tv_sec * 1000000000LL + time.tv_usec * 1000LL; }

int main(int count, char** words) {
  pthread_t threads[16];
  if (count < 4) return 2;
  how = words[1];
  milliseconds = atol(words[3]);
  const int other = atoi(words[2]) - 1;
  for (int i = 0; i < other; i++) pthread_create(&threads[i], NULL, run, NULL);
  run(NULL);
  for (int i = 0; i < other; i++) pthread_join(threads[i], NULL);
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  printf("cpu %lld\nkernel %lld\ntouch %lld\ncompute %lld\n", of_time(usage.ru_utime) + of_time(usage.ru_stime),
         of_time(usage.ru_stime), (long long)touch_time, (long long)compute_time);
  return 0;
}
