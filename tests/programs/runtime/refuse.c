// refuse ERROR CALL[,CALL...] PROGRAM [ARGUMENT...]: runs the program under a filter of refuse.h. What
// REFUSED_PRELOAD says becomes LD_PRELOAD for the program alone.
#define _GNU_SOURCE
#include <stdlib.h>

#include "refuse.h"

int main(int count, char** arguments) {
  if (count < 4) return 125;
  const char* preload = getenv("REFUSED_PRELOAD");
  if (preload != NULL) setenv("LD_PRELOAD", preload, 1);
  unsetenv("REFUSED_PRELOAD");
  int result = install_refusals(arguments[1], arguments[2]);
  if (result != 0) return result;
  execv(arguments[3], arguments + 3);
  return 122;
}
