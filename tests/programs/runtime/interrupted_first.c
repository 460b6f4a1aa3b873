// A handler interrupts a function at its first instruction, over and over.
#include <signal.h>
#include <stdlib.h>
#include <sys/time.h>

#if defined(__x86_64__)
#define JUMP "jmp"
#else
#define JUMP "b"
#endif

// in_front never runs; spinning is one instruction.
__asm__(
    ".text\n"
    ".globl in_front\n.type in_front, %function\n"
    "in_front:\n.cfi_startproc\n" JUMP " in_front\n.cfi_endproc\n.size in_front, . - in_front\n"
    ".globl spinning\n.type spinning, %function\n"
    "spinning:\n.cfi_startproc\n" JUMP " spinning\n.cfi_endproc\n.size spinning, . - spinning\n");
void spinning(void);

static volatile long sink;
static int left = 20;

__attribute__((noinline)) void work(void) {
  for (long i = 0; i < 10000000; ++i) sink += i;
}

static void on_alarm(int number) {
  work();
  if (--left == 0) exit(number - SIGALRM);
}

int main(void) {
  struct itimerval often = {{0, 2000}, {0, 2000}};
  signal(SIGALRM, on_alarm);
  setitimer(ITIMER_REAL, &often, 0);
  spinning();
  return 0;
}
