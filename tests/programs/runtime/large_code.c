// More than a MiB of code, most of which never runs: `large_code {NAME MILLISECONDS}...` takes CPU
// time in the functions that are named. Three of them lie in windows of 1 KiB that follow each
// other; `pinned` stands at one instruction.
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>

static volatile unsigned long sum;
static sigjmp_buf begin;

#define PADDING __asm__(".text\n.skip 400000, 0x90\n.p2align 10\n")
#define WINDOW __asm__(".text\n.p2align 10\n")
#define BURNER(name)                                                          \
  __attribute__((noinline)) void name(long milliseconds) {                    \
    const clock_t end = clock() + milliseconds * (CLOCKS_PER_SEC / 1000);     \
    while (clock() < end)                                                     \
      for (int i = 0; i < 100000; i++) sum += i;                              \
  }

PADDING;
BURNER(first)
WINDOW;
BURNER(second)
WINDOW;
BURNER(third)
PADDING;
BURNER(far)
PADDING;

static void leave(int number) {
  (void)number;
  siglongjmp(begin, 1);
}

__attribute__((noinline)) void pinned(long milliseconds) {
  const struct itimerval time = {{0, 0}, {milliseconds / 1000, milliseconds % 1000 * 1000}};
  signal(SIGVTALRM, leave);
  if (sigsetjmp(begin, 1) != 0) return;
  setitimer(ITIMER_VIRTUAL, &time, NULL);
  for (;;) __asm__ volatile("");
}

int main(int count, char **words) {
  for (int i = 1; i + 1 < count; i += 2) {
    const long milliseconds = atol(words[i + 1]);
    if (!strcmp(words[i], "first")) first(milliseconds);
    if (!strcmp(words[i], "second")) second(milliseconds);
    if (!strcmp(words[i], "third")) third(milliseconds);
    if (!strcmp(words[i], "far")) far(milliseconds);
    if (!strcmp(words[i], "pinned")) pinned(milliseconds);
  }
  return 0;
}
