// endings HOW: makes calls that are known, then ends in the way that HOW names.
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void _mcleanup(void);

static sem_t counted;
static pthread_t main_thread;
static const char* how;

__attribute__((noinline)) void beta(void) { __asm__ volatile(""); }
__attribute__((noinline)) void alpha(void) {
  for (int i = 0; i < 3; i++) beta();
}
__attribute__((noinline)) void gamma_(void) { __asm__ volatile(""); }
__attribute__((noinline)) void delta(void) { __asm__ volatile(""); }

__attribute__((noinline)) void* ended(void* unused) {
  for (int i = 0; i < 500; i++) gamma_();
  return unused;
}

__attribute__((noinline)) void* running(void* unused) {
  for (int i = 0; i < 700; i++) delta();
  sem_post(&counted);
  if (strcmp(how, "exit-in-thread") == 0) exit(7);
  if (strcmp(how, "_exit-in-thread") == 0) _exit(7);
  if (strcmp(how, "abort-in-thread") == 0) abort();
  if (strcmp(how, "pthread_exit") == 0) {
    pthread_join(main_thread, NULL);
    return unused;
  }
  for (;;) pause();
}

__attribute__((noinline)) void end(void) {
  if (strcmp(how, "return") == 0) return;
  if (strcmp(how, "exit") == 0) exit(7);
  if (strcmp(how, "_exit") == 0) _exit(7);
  if (strcmp(how, "_Exit") == 0) _Exit(7);
  if (strcmp(how, "quick_exit") == 0) quick_exit(7);
  if (strcmp(how, "abort") == 0) abort();
  if (strcmp(how, "segv") == 0) *(volatile int*)8 = 1;
  if (strcmp(how, "trap") == 0) __builtin_trap();
  if (strcmp(how, "pthread_exit") == 0) pthread_exit(NULL);
  if (strcmp(how, "_mcleanup") == 0) {
    _mcleanup();
    printf("written %d\n", access("gmon.out", R_OK) == 0);
    fflush(stdout);
    _exit(0);
  }
  if (strcmp(how, "wait") == 0 || strcmp(how, "return-on-input") == 0) {
    puts("ready");
    fflush(stdout);
    if (strcmp(how, "return-on-input") == 0) {
      getchar();
      return;
    }
  }
  for (;;) pause();
}

int main(int count, char** arguments) {
  how = count > 1 ? arguments[1] : "return";
  main_thread = pthread_self();
  for (int i = 0; i < 1000; i++) alpha();
  pthread_t thread;
  pthread_create(&thread, NULL, ended, NULL);
  pthread_join(thread, NULL);
  sem_init(&counted, 0, 0);
  pthread_create(&thread, NULL, running, NULL);
  sem_wait(&counted);
  end();
  return 7;
}
