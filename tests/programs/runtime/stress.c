// stress MILLISECONDS LIBRARY...: threads come and go, signals hail, processes fork, libraries are loaded and
// unloaded, all at once; every call is counted by the program, too. Prints what it counted; forked
// children print theirs as `child PID COUNT`.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static atomic_long handler_calls, worker_calls, short_calls, sorted, entered[8];
static atomic_int done;
static char** libraries;
static int library_count;

__attribute__((noinline)) void in_handler(void) { __asm__ volatile(""); }
__attribute__((noinline)) void in_worker(void) { __asm__ volatile(""); }
__attribute__((noinline)) void in_short(void) { __asm__ volatile(""); }
__attribute__((noinline)) void in_child(void) { __asm__ volatile(""); }
__attribute__((noinline)) int cmp(const void* left, const void* right) {
  atomic_fetch_add(&sorted, 1);
  return *(const int*)left - *(const int*)right;
}

__attribute__((noinline)) void on_signal(int number) {
  (void)number;
  int times = 3;
  for (int i = 0; i < times; i++) in_handler();
  atomic_fetch_add(&handler_calls, times);
}

__attribute__((noinline)) void* worker(void* unused) {
  while (!done) {
    long times = 1000;
    for (long i = 0; i < times; i++) in_worker();
    atomic_fetch_add(&worker_calls, times);
    int numbers[] = {4, 2, 3, 1, 7, 5};
    qsort(numbers, 6, sizeof *numbers, cmp);
  }
  return unused;
}

__attribute__((noinline)) void* short_worker(void* unused) {
  for (int i = 0; i < 10; i++) in_short();
  atomic_fetch_add(&short_calls, 10);
  return unused;
}

static void* spawner(void* unused) {
  while (!done) {
    pthread_t id;
    if (pthread_create(&id, NULL, short_worker, NULL) == 0) pthread_join(id, NULL);
  }
  return unused;
}

static void* loader(void* unused) {
  for (long round = 0; !done; round++) {
    int which = (int)(round % library_count);
    void* library = dlopen(libraries[which], RTLD_NOW);
    if (library == NULL) abort();
    void (*enter)(int) = (void (*)(int))dlsym(library, "plug_enter");
    enter(5);
    atomic_fetch_add(&entered[which], 1);
    dlclose(library);
  }
  return unused;
}

__attribute__((noinline)) void child(int times) {
  for (int i = 0; i < times; i++) in_child();
  char text[64];
  int size = snprintf(text, sizeof text, "child %d %d\n", (int)getpid(), times);
  if (write(1, text, (size_t)size) != size) abort();
}

int main(int count, char** arguments) {
  long milliseconds = atol(arguments[1]);
  libraries = arguments + 2;
  library_count = count - 2;
  struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
  sigaction(SIGALRM, &action, NULL);
  struct itimerval fast = {{0, 200}, {0, 200}}, off = {{0, 0}, {0, 0}};
  setitimer(ITIMER_REAL, &fast, NULL);
  pthread_t ids[4];
  pthread_create(&ids[0], NULL, worker, NULL);
  pthread_create(&ids[1], NULL, worker, NULL);
  pthread_create(&ids[2], NULL, spawner, NULL);
  pthread_create(&ids[3], NULL, loader, NULL);
  // A signal makes fork begin again, which would never come to an end.
  sigset_t alarm;
  sigemptyset(&alarm);
  sigaddset(&alarm, SIGALRM);
  pthread_sigmask(SIG_BLOCK, &alarm, NULL);
  struct timespec start, now;
  clock_gettime(CLOCK_MONOTONIC, &start);
  int children = 0;
  do {
    pid_t id = fork();
    if (id == 0) {
      child(20 + children);
      _exit(0);  // exit needs the loader's lock, which the parent's thread may hold
    }
    children += id > 0;
    while (id > 0 && waitpid(id, NULL, 0) < 0) continue;
    clock_gettime(CLOCK_MONOTONIC, &now);
  } while ((now.tv_sec - start.tv_sec) * 1000 + (now.tv_nsec - start.tv_nsec) / 1000000 <
           milliseconds);
  done = 1;
  for (int i = 0; i < 4; i++) pthread_join(ids[i], NULL);
  setitimer(ITIMER_REAL, &off, NULL);
  signal(SIGALRM, SIG_IGN);
  printf("handler %ld\nworker %ld\nshort %ld\nsorted %ld\nchildren %d\n", (long)handler_calls,
         (long)worker_calls, (long)short_calls, (long)sorted, children);
  for (int i = 0; i < library_count; i++) printf("entered_%d %ld\n", i, (long)entered[i]);
  return 0;
}
