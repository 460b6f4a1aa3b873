// burn HOW MILLISECONDS [THREADS]: spends CPU time, nine tenths of it in `dear`, the rest in `cheap`.
// HOW: plain; own (with a SIGPROF handler and ITIMER_PROF of its own); blocked (with all signals
// blocked); kernel (and half as much time in a system call); mapping (100 ms at a time, each followed by
// one system call that takes as long); exec PROGRAM... at the end, through execv.
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static long milliseconds;
static int zeros = -1;
static volatile long ticks;

static long now(void) {
  struct timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return time.tv_sec * 1000000 + time.tv_nsec / 1000;
}

// Both spend their time in their own code, between looks at the clock that take almost none.
#define BURN(name)                                             \
  __attribute__((noinline)) void name(long time) {             \
    for (long end = now() + time; now() < end;)                \
      for (volatile int i = 0; i < 100000; i++) continue;      \
  }
BURN(dear)
BURN(cheap)

__attribute__((noinline)) void* work(void* unused) {
  static char area[1 << 20];
  // Of lengths that no timer's period fits.
  unsigned random = 1;
  for (long left = milliseconds * 1000; left > 0;) {
    random = random * 1664525 + 1013904223;
    long part = 10000 + (random >> 8) % 20000;
    if (part > left) part = left;
    dear(part * 9 / 10);
    cheap(part - part * 9 / 10);
    if (zeros >= 0)
      for (long end = now() + part / 2; now() < end;)
        if (read(zeros, area, sizeof area) < 0) abort();
    left -= part;
  }
  return unused;
}

// The kernel fills every page, and heeds no signal meanwhile.
static void map(void) {
  const size_t size = 512ul << 20;
  void* area = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
  if (area == MAP_FAILED) abort();
  munmap(area, size);
}

static void on_tick(int number) {
  (void)number;
  ticks++;
}

int main(int count, char** arguments) {
  const char* how = arguments[1];
  milliseconds = atol(arguments[2]);
  int threads = count > 3 ? atoi(arguments[3]) : 0;
  if (strcmp(how, "kernel") == 0) zeros = open("/dev/zero", O_RDONLY);
  if (strcmp(how, "own") == 0) {
    struct sigaction action = {.sa_handler = on_tick, .sa_flags = SA_RESTART};
    sigaction(SIGPROF, &action, NULL);
    struct itimerval every = {{0, 10000}, {0, 10000}};
    setitimer(ITIMER_PROF, &every, NULL);
  }
  if (strcmp(how, "blocked") == 0) {
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, NULL);
  }
  if (strcmp(how, "mapping") == 0) {
    for (long left = milliseconds; left > 0; left -= 100) {
      dear(100000);
      map();
    }
    return 0;
  }
  pthread_t ids[16];
  for (int i = 0; i < threads; i++) pthread_create(&ids[i], NULL, work, NULL);
  if (threads == 0) work(NULL);
  for (int i = 0; i < threads; i++) pthread_join(ids[i], NULL);
  if (strcmp(how, "own") == 0) {
    struct itimerval off = {{0, 0}, {0, 0}}, before;
    getitimer(ITIMER_PROF, &before);
    setitimer(ITIMER_PROF, &off, NULL);
    printf("interval %ld\n", (long)before.it_interval.tv_usec);
    printf("ticks %ld\n", ticks);
  }
  if (strcmp(how, "exec") == 0) execv(arguments[4], arguments + 4);
  return 0;
}
