#include <gprof/runtime.h>

static int calls;
__attribute__((noinline)) void counted(void) { ++calls; }

int main(void) {
  gprof_control(0);
  counted();
  gprof_control(1);
  while (calls < 1000) counted();
  return gprof_runtime_version()[0] == '\0';
}
