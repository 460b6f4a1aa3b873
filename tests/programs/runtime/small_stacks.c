// Threads with the smallest stacks that there are, and signal handlers on alternate stacks of the usual 8 KiB, make
// profiled calls, through libc too.
#define _GNU_SOURCE
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

__attribute__((noinline)) void leaf(void) { __asm__ volatile(""); }
__attribute__((noinline)) int cmp(const void* left, const void* right) {
  leaf();
  return *(const int*)left - *(const int*)right;
}

static void on_signal(int number) {
  (void)number;
  for (int i = 0; i < 10; i++) leaf();
}

__attribute__((noinline)) void* work(void* unused) {
  int numbers[] = {3, 1, 2, 5, 4};
  for (int i = 0; i < 1000; i++) leaf();
  qsort(numbers, 5, sizeof *numbers, cmp);
  return unused;
}

__attribute__((noinline)) void* alternate(void* stack) {
  stack_t own = {.ss_sp = stack, .ss_size = 8192};
  sigaltstack(&own, NULL);
  for (int i = 0; i < 50; i++) raise(SIGUSR1);
  return NULL;
}

int main(void) {
  struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_ONSTACK};
  sigaction(SIGUSR1, &action, NULL);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, (size_t)sysconf(_SC_THREAD_STACK_MIN));
  for (int i = 0; i < 20; i++) {
    pthread_t ids[2];
    void* stack = malloc(65536);
    pthread_create(&ids[0], &attributes, work, NULL);
    pthread_create(&ids[1], NULL, alternate, stack);
    pthread_join(ids[0], NULL);
    pthread_join(ids[1], NULL);
    free(stack);
  }
  puts("done");
  return 0;
}
