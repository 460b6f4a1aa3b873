// Lets threads burn CPU time that were created in different ways, and prints the CPU time of the
// whole process, in nanoseconds.
//
//   MILLISECONDS            by the library that it is linked with (early_threads.h)
//   MILLISECONDS LIBRARY    by that library, opened with dlopen()
//   MILLISECONDS timer      in a function that a timer calls (SIGEV_THREAD)
//   MILLISECONDS bare       in a thread made by clone() with the thread-local memory of its creator
//   MILLISECONDS burn       in a constructor of the library that it is linked with
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "early_threads.h"

static long long nanoseconds_of(clockid_t clock) {
  struct timespec time;
  clock_gettime(clock, &time);
  return time.tv_sec * 1000000000LL + time.tv_nsec;
}

static void burn(unsigned milliseconds) {
  const long long until = nanoseconds_of(CLOCK_THREAD_CPUTIME_ID) + milliseconds * 1000000LL;
  while (nanoseconds_of(CLOCK_THREAD_CPUTIME_ID) < until) {
    for (volatile int i = 0; i < 20000; ++i) {
    }
  }
}

static sem_t done;

static void burn_in_thread(union sigval milliseconds) {
  burn((unsigned)milliseconds.sival_int);
  sem_post(&done);
}

static void run_by_timer(unsigned milliseconds) {
  struct sigevent event = {.sigev_notify = SIGEV_THREAD,
                           .sigev_notify_function = burn_in_thread,
                           .sigev_value.sival_int = (int)milliseconds};
  const struct itimerspec soon = {.it_value.tv_nsec = 1};
  timer_t timer;
  sem_init(&done, 0, 0);
  if (timer_create(CLOCK_MONOTONIC, &event, &timer) != 0) abort();
  timer_settime(timer, 0, &soon, NULL);
  while (sem_wait(&done) != 0) {
  }
  timer_delete(timer);
}

static volatile int bare_done;

static int burn_bare(void* milliseconds) {
  // No function of libc but clock_gettime(), which needs no thread-local memory.
  burn((unsigned)(long)milliseconds);
  bare_done = 1;
  syscall(SYS_exit, 0);
  return 0;
}

static void run_bare(unsigned milliseconds) {
  const size_t size = 65536;
  char* stack = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  const int flags =
      CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM;
  if (clone(burn_bare, stack + size, flags, (void*)(long)milliseconds) < 0) abort();
  while (!bare_done) {
    burn(1);
    const struct timespec pause = {.tv_nsec = 1000000};
    nanosleep(&pause, NULL);
  }
}

static void run_by_library(const char* path, unsigned milliseconds) {
  void* library = dlopen(path, RTLD_NOW);
  if (library == NULL) abort();
  void (*run)(unsigned) = (void (*)(unsigned))dlsym(library, "run_early_workers");
  run(milliseconds);
}

#ifdef BURNS
__attribute__((constructor)) static void burn_early(void) { burn(BURNS); }
#endif

int main(int count, char** words) {
  const unsigned milliseconds = (unsigned)strtoul(words[1], NULL, 10);
  const char* how = count > 2 ? words[2] : "linked";
  if (strcmp(how, "timer") == 0) {
    run_by_timer(milliseconds);
  } else if (strcmp(how, "bare") == 0) {
    run_bare(milliseconds);
  } else if (strcmp(how, "linked") != 0) {
    run_by_library(how, milliseconds);
  } else {
#ifdef LINKED
    run_early_workers(milliseconds);
#endif
  }
  printf("cpu %lld\n", nanoseconds_of(CLOCK_PROCESS_CPUTIME_ID));
  return 0;
}
