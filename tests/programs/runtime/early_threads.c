// A library whose constructor creates threads. HOW says by which function: `posix`, `c11`, or
// `hidden`: the libc's own pthread_create, found so that no other library stands in front of it.
#define _GNU_SOURCE
#include "early_threads.h"

#include <dlfcn.h>
#include <pthread.h>
#include <semaphore.h>
#include <threads.h>
#include <time.h>

enum { posix, c11, hidden };

static sem_t work[early_workers];
static pthread_t workers[early_workers];
static thrd_t c11_workers[early_workers];
static unsigned wanted;

static double milliseconds_of(clockid_t clock) {
  struct timespec time;
  clock_gettime(clock, &time);
  return (double)time.tv_sec * 1e3 + (double)time.tv_nsec / 1e6;
}

__attribute__((noinline)) void early_burn(unsigned milliseconds) {
  const double until = milliseconds_of(CLOCK_THREAD_CPUTIME_ID) + milliseconds;
  while (milliseconds_of(CLOCK_THREAD_CPUTIME_ID) < until) {
    for (volatile int i = 0; i < 20000; ++i) {
    }
  }
}

static void* run(void* which) {
  sem_wait(&work[(long)which]);
  early_burn(wanted);
  return NULL;
}

static int run_c11(void* which) { return run(which) != NULL; }

typedef int Create(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);

static Create* creator(void) {
  if (HOW == posix) return pthread_create;
  void* libc = dlopen("libc.so.6", RTLD_LAZY);
  void* own = dlsym(libc, "pthread_create");
  if (own == NULL) own = dlsym(dlopen("libpthread.so.0", RTLD_LAZY), "pthread_create");
  return (Create*)own;
}

__attribute__((constructor)) static void create_workers(void) {
  for (long i = 0; i < early_workers; ++i) {
    sem_init(&work[i], 0, 0);
    if (HOW == c11) {
      thrd_create(&c11_workers[i], run_c11, (void*)i);
    } else {
      creator()(&workers[i], NULL, run, (void*)i);
    }
  }
}

void run_early_workers(unsigned milliseconds) {
  wanted = milliseconds;
  for (int i = 0; i < early_workers; ++i) sem_post(&work[i]);
  for (int i = 0; i < early_workers; ++i) {
    if (HOW == c11) {
      thrd_join(c11_workers[i], NULL);
    } else {
      pthread_join(workers[i], NULL);
    }
  }
}
