// What unwinders and thread-local tables stumble over: coroutines on stacks of their own, longjmp out
// of handlers and through library frames, frames without a start, errno.
#define _GNU_SOURCE
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

static ucontext_t outside, inside;
static sigjmp_buf escape;
static char coroutine_stack[65536];

__attribute__((noinline)) void leaf(void) { __asm__ volatile(""); }
__attribute__((noinline)) void coroutine(void) {
  for (int i = 0; i < 100; i++) {
    leaf();
    swapcontext(&inside, &outside);
  }
}

__attribute__((noinline)) int jumper(const void* left, const void* right) {
  leaf();
  siglongjmp(escape, 1);
  return left < right;
}

static void on_signal(int number) {
  (void)number;
  leaf();
  siglongjmp(escape, 1);
}

__attribute__((noinline)) void* on_fault(void) {
  leaf();
  return NULL;
}
static void faulted(int number) {
  (void)number;
  on_fault();
  siglongjmp(escape, 2);
}

int main(void) {
  getcontext(&inside);
  inside.uc_stack.ss_sp = coroutine_stack;
  inside.uc_stack.ss_size = sizeof coroutine_stack;
  inside.uc_link = &outside;
  makecontext(&inside, coroutine, 0);
  for (int i = 0; i < 101; i++) swapcontext(&outside, &inside);

  for (volatile int i = 0; i < 50; i++) {
    int numbers[3] = {1, 2, 3};
    if (sigsetjmp(escape, 1) == 0) qsort(numbers, 3, sizeof *numbers, jumper);
  }
  signal(SIGUSR1, on_signal);
  for (volatile int i = 0; i < 50; i++) {
    if (sigsetjmp(escape, 1) == 0) raise(SIGUSR1);
  }
  // A call of nothing: the fault is at an address that no object holds.
  signal(SIGSEGV, faulted);
  void (*volatile nowhere)(void) = NULL;
  for (volatile int i = 0; i < 50; i++) {
    if (sigsetjmp(escape, 1) == 0) nowhere();
  }
  int wrong = 0;
  for (int i = 0; i < 1000; i++) {
    errno = i;
    leaf();
    wrong += errno != i;
  }
  printf("wrong %d\n", wrong);
  return 0;
}
