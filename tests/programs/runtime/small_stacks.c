// Threads with the smallest stacks that there are, and signal handlers on alternate stacks of the usual 8 KiB, make
// profiled calls, through libc too. One handler runs for long, on a stack that has room for its own signal frame, for
// that of one sample, and for little more: not for the lazy binding of a function, so it is linked with -z now.
#define _GNU_SOURCE
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

// <search.h> has a `leaf` of its own.
void* lfind(const void* key, const void* base, size_t* count, size_t size, int (*compare)(const void*, const void*));

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

static volatile unsigned long searches;

// Found by two ways in turn, so that no call comes the way of the one before it.
__attribute__((noinline)) static void search(const int* numbers) {
  size_t count = 1;
  lfind(numbers, numbers, &count, sizeof *numbers, cmp);
  lfind(numbers, numbers, &count, sizeof *numbers, cmp);
  searches++;
}

static void on_long_signal(int number) {
  static const int numbers[] = {1};
  (void)number;
  for (clock_t end = clock() + CLOCKS_PER_SEC / 5; clock() < end;) search(numbers);
}

__attribute__((noinline)) static void tight(void) {
  const unsigned long frame = getauxval(AT_MINSIGSTKSZ);
  const size_t size = 2 * (frame != 0 ? frame : 3072) + 1024;
  const size_t page = (size_t)sysconf(_SC_PAGESIZE);
  const size_t whole = (size + page - 1) / page * page;
  // What is beyond its end cannot be written.
  char* memory = mmap(NULL, page + whole, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED || mprotect(memory + page, whole, PROT_READ | PROT_WRITE) != 0) abort();
  stack_t own = {.ss_sp = memory + page, .ss_size = size};
  stack_t none = {.ss_flags = SS_DISABLE};
  if (sigaltstack(&own, NULL) != 0) abort();
  raise(SIGUSR2);
  sigaltstack(&none, NULL);
}

int main(void) {
  struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_ONSTACK};
  sigaction(SIGUSR1, &action, NULL);
  action.sa_handler = on_long_signal;
  sigaction(SIGUSR2, &action, NULL);
  tight();
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
  printf("searches %lu\n", searches);
  puts("done");
  return 0;
}
