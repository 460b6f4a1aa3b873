// together TIMES [ACTION]: calls `leaf` so often, says that it is ready, and ends when its standard input
// ends. ACTION: `dump` writes a profile before that, `kill` ends by SIGKILL.
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern int gprof_dump(void) __attribute__((weak));

__attribute__((noinline)) void leaf(void) { __asm__ volatile(""); }

int main(int count, char** words) {
  const char* action = count > 2 ? words[2] : "";
  char byte;
  for (int i = atoi(words[1]); i > 0; i--) leaf();
  if (strcmp(action, "dump") == 0 && gprof_dump() != 0) return 2;
  printf("%d\n", (int)getpid());
  fflush(stdout);
  while (read(0, &byte, 1) > 0) continue;
  if (strcmp(action, "kill") == 0) raise(SIGKILL);
  return 0;
}
