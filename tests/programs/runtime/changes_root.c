/* Makes a folder its root, and starts a program there in the ways that libc has of its own: changes_root ROOT PROGRAM. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int count, char** words) {
  if (count < 3 || chroot(words[1]) != 0 || chdir("/") != 0) return 99;
  printf("preload %s\n", getenv("LD_PRELOAD") == NULL ? "none" : getenv("LD_PRELOAD"));
  fflush(stdout);
  const int status = system(words[2]);
  FILE* const stream = popen(words[2], "r");
  char line[512];
  while (fgets(line, sizeof line, stream) != NULL) fputs(line, stdout);
  if (pclose(stream) != status) return 98;
  /* What libc adds to, as it does to an array that it was given. */
  if (setenv("OWN", "mine", 1) != 0 || setenv("LD_PRELOAD", "", 1) != 0 || unsetenv("LD_PRELOAD") != 0) return 97;
  if (system(words[2]) != status) return 96;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 95;
}
