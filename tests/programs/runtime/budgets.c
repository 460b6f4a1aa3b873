// Programs whose functions have known budgets of CPU time: `dear` has seven tenths, `cheap` the rest.
//
//   budgets steady MS              long blocks, MS of CPU time in all
//   budgets bursts MS US           one after the other, US microseconds both together
//   budgets sleeping MS US PAUSE   as bursts, with a sleep of PAUSE microseconds before each
//   budgets aligned MS US          as bursts, each beginning at a multiple of 4 ms of the clock
//   budgets threads COUNT US LIVE  COUNT threads of US microseconds, LIVE of them at a time
//   budgets processes COUNT US     COUNT children of US microseconds, one after the other
//   budgets faults MS US           as bursts, `cheap` touching fresh pages
//   budgets systemcalls MS US      as bursts, `cheap` being in the kernel all the time
//
// Prints what each function took by the thread's own CPU clock: `NAME NANOSECONDS`.
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static long loops_a_microsecond;
static long long clock_price;  // of reading the clock once, which is no function's budget
static atomic_llong dear_time, cheap_time;

static long long cpu_clock(void) {
  struct timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return time.tv_sec * 1000000000LL + time.tv_nsec;
}

#define BURN(name)                                                                        \
  static __attribute__((noinline, aligned(64))) void name(long loops) {                   \
    for (long i = 0; i < loops; i++) __asm__ volatile("" : "+r"(i));                      \
  }
BURN(dear)
BURN(cheap)
BURN(measure)

static int null_file;
static __attribute__((noinline)) void in_kernel(long microseconds) {
  static char buffer[1 << 16];
  long long end = cpu_clock() + microseconds * 1000;
  while (cpu_clock() < end) {
    if (pread(null_file, buffer, sizeof buffer, 0) < 0) abort();
  }
}

// Faults are at the store. Giving the pages back is no function's budget.
static char* fresh;
static size_t touched;
static const size_t fresh_size = 64 << 20;
static __attribute__((noinline, aligned(64))) void cheap_faults(long long end) {
  while (cpu_clock() < end && touched + 65536 <= fresh_size) {
    for (int i = 0; i < 16; i++, touched += 4096) ((volatile char*)fresh)[touched] = 1;
  }
}
static void give_back(void) {
  madvise(fresh, fresh_size, MADV_DONTNEED);
  touched = 0;
}

static int system_calls;

static void burst(long microseconds) {
  cpu_clock();  // after a sleep, the first reading is dearer than the others
  long long before = cpu_clock();
  dear(loops_a_microsecond * microseconds * 7 / 10);
  long long between = cpu_clock();
  if (system_calls) {
    in_kernel(microseconds * 3 / 10);
  } else if (fresh != NULL) {
    cheap_faults(cpu_clock() + microseconds * 300);
  } else {
    cheap(loops_a_microsecond * microseconds * 3 / 10);
  }
  long long after = cpu_clock();
  dear_time += between - before - clock_price;
  cheap_time += after - between - clock_price;
  if (touched > fresh_size / 2) give_back();
}

static void find_price(void) {
  const int times = 2000;
  long long before = cpu_clock();
  for (int i = 0; i < times; i++) cpu_clock();
  clock_price = (cpu_clock() - before) / times;
}

static void find_speed(void) {
  long best = 0;
  for (int i = 0; i < 5; i++) {
    long long before = cpu_clock();
    measure(1000000);
    long speed = 1000000 * 1000LL / (cpu_clock() - before + 1);
    if (speed > best) best = speed;
  }
  loops_a_microsecond = best;
}

static void sleep_for(long microseconds) {
  struct timespec left = {microseconds / 1000000, microseconds % 1000000 * 1000};
  while (nanosleep(&left, &left) != 0 && errno == EINTR) continue;
}

static void sleep_to_tick(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  const long tick = 4000000;
  now.tv_nsec = (now.tv_nsec / tick + 1) * tick;
  if (now.tv_nsec >= 1000000000) {
    now.tv_sec++;
    now.tv_nsec -= 1000000000;
  }
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &now, NULL) == EINTR) continue;
}

static void* run_thread(void* microseconds) {
  burst((long)microseconds);
  return NULL;
}

static void run_threads(long count, long microseconds, long live) {
  pthread_t threads[256];
  for (long i = 0; i < count + live; i++) {
    if (i >= live) pthread_join(threads[i % live], NULL);
    if (i < count && pthread_create(&threads[i % live], NULL, run_thread, (void*)microseconds) != 0)
      abort();
    if (i >= count && i + 1 >= count + live) break;
  }
}

static void run_processes(long count, long microseconds) {
  for (long i = 0; i < count; i++) {
    int ends[2];
    if (pipe(ends) != 0) abort();
    pid_t child = fork();
    if (child == 0) {
      dear_time = cheap_time = 0;
      burst(microseconds);
      long long times[2] = {dear_time, cheap_time};
      if (write(ends[1], times, sizeof times) != sizeof times) abort();
      exit(0);
    }
    long long times[2];
    if (read(ends[0], times, sizeof times) != sizeof times) abort();
    waitpid(child, NULL, 0);
    close(ends[0]);
    close(ends[1]);
    dear_time += times[0];
    cheap_time += times[1];
  }
}

int main(int count, char** arguments) {
  if (count < 3) return 2;
  const char* mode = arguments[1];
  long milliseconds = atol(arguments[2]);
  long microseconds = count > 3 ? atol(arguments[3]) : 50000;
  long third = count > 4 ? atol(arguments[4]) : 1;
  find_speed();
  find_price();
  system_calls = strcmp(mode, "systemcalls") == 0;
  if (system_calls) null_file = fileno(fopen("/dev/zero", "r"));
  if (strcmp(mode, "faults") == 0) {
    fresh = mmap(NULL, fresh_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (fresh == MAP_FAILED) abort();
    madvise(fresh, fresh_size, MADV_NOHUGEPAGE);
  }
  if (strcmp(mode, "threads") == 0) {
    run_threads(milliseconds, microseconds, third);
  } else if (strcmp(mode, "processes") == 0) {
    run_processes(milliseconds, microseconds);
  } else {
    while (dear_time + cheap_time < milliseconds * 1000000LL) {
      if (strcmp(mode, "sleeping") == 0) sleep_for(third);
      if (strcmp(mode, "aligned") == 0) sleep_to_tick();
      burst(microseconds);
    }
  }
  printf("dear %lld\ncheap %lld\n", (long long)dear_time, (long long)cheap_time);
  return 0;
}
