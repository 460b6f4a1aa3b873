// One function that two callers call once each, for very different times: a fact that stacks show
// and calls do not.
#include <time.h>
static volatile unsigned long sum;
__attribute__((noinline)) void burn(long milliseconds) {
  const clock_t end = clock() + milliseconds * (CLOCKS_PER_SEC / 1000);
  while (clock() < end)
    for (int i = 0; i < 100000; i++) sum += i;
}
__attribute__((noinline)) void dear(void) { burn(380); sum++; }
__attribute__((noinline)) void cheap(void) { burn(20); sum++; }
int main(void) {
  dear();
  cheap();
  return 0;
}
