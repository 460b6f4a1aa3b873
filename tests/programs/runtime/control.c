// control HOW: what gprof/runtime.h and gmon's own functions steer, for control_test.py.
#include <gprof/runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/gmon.h>
#include <unistd.h>

void moncontrol(int on);

__attribute__((noinline)) void first(void) { __asm__ volatile(""); }
__attribute__((noinline)) void second(void) { __asm__ volatile(""); }
__attribute__((noinline)) void third(void) { __asm__ volatile(""); }
__attribute__((noinline)) void many(void (*function)(void), int times) {
  for (int i = 0; i < times; i++) function();
}

int main(int count, char** arguments) {
  const char* how = count > 1 ? arguments[1] : "";
  many(first, 10);
  if (strcmp(how, "dump") == 0) {
    printf("dump %d\n", gprof_dump());
    rename("gmon.out", "first.out");
    rename("gmon.out.gpx", "first.gpx");
  }
  if (strcmp(how, "dumps") == 0) {
    for (int i = 0; i < 50; i++) {
      many(second, 1);
      if (gprof_dump() != 0) return 3;
    }
  }
  if (strcmp(how, "reset") == 0) gprof_reset();
  if (strcmp(how, "control") == 0) printf("was %d\n", gprof_control(0));
  if (strcmp(how, "moncontrol") == 0) moncontrol(0);
  many(second, 20);
  if (strcmp(how, "control") == 0) printf("then %d\n", gprof_control(1));
  if (strcmp(how, "moncontrol") == 0) moncontrol(1);
  many(third, 30);
  if (strcmp(how, "version") == 0) puts(gprof_runtime_version());
  fflush(stdout);
  // "dump-only": nothing is written again at the end.
  if (strcmp(how, "dump") == 0) return 0;
  if (strcmp(how, "again") == 0) {
    _mcleanup();
    many(third, 5);
  }
  return 0;
}
