// What `gprof-lsp record --pid` is tried on: threads that spin until a line comes on standard input.
//
// "spin" begins with two threads. "late" begins a thread, which begins others, one after the other.
// "idle" has none. The status is 7; what is printed does not depend on time, unless system calls are
// interrupted.
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static atomic_bool stopped;
static atomic_long interruptions;
static volatile unsigned sink;

__attribute__((noinline)) void spin(unsigned rounds) {
  for (unsigned i = 0; i < rounds; i++) sink = sink * 1103515245u + 12345u;
}
// Three rounds of four are spent below the first one.
__attribute__((noinline)) void three_quarters(unsigned rounds) { spin(3 * rounds); sink++; }
__attribute__((noinline)) void one_quarter(unsigned rounds) { spin(rounds); sink++; }

// Pieces of different lengths, so that no period of samples can go with them.
__attribute__((noinline)) static void work(unsigned pieces) {
  unsigned length = 1;
  for (unsigned i = 0; i < pieces && !stopped; i++) {
    length = length * 1664525u + 1013904223u;
    unsigned rounds = 1000 + (length >> 18);
    three_quarters(rounds);
    one_quarter(rounds);
  }
}

static void *spin_thread(void *unused) {
  (void)unused;
  pthread_setname_np(pthread_self(), "spinner");
  while (!stopped) work(1000);
  return NULL;
}
static void *short_thread(void *unused) {
  (void)unused;
  pthread_setname_np(pthread_self(), "short");
  work(100);
  return NULL;
}
static void *starting_thread(void *unused) {
  (void)unused;
  pthread_setname_np(pthread_self(), "starter");
  while (!stopped) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, short_thread, NULL) != 0) abort();
    pthread_join(thread, NULL);
  }
  return NULL;
}

int main(int count, char **words) {
  const char *what = count > 1 ? words[1] : "";
  pthread_t threads[2];
  int started = 0;
  if (!strcmp(what, "spin")) {
    while (started < 2) pthread_create(&threads[started++], NULL, spin_thread, NULL);
  }
  if (!strcmp(what, "late")) pthread_create(&threads[started++], NULL, starting_thread, NULL);
  printf("%d\n", getpid());
  fflush(stdout);
  char byte;
  for (;;) {
    ssize_t got = read(0, &byte, 1);
    if (got >= 0) break;
    if (errno != EINTR) abort();
    interruptions++;
  }
  stopped = 1;
  for (int i = 0; i < started; i++) pthread_join(threads[i], NULL);
  printf("interrupted %ld\n", (long)interruptions);
  return 7;
}
