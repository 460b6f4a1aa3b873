/* Prints what it was started with; also serves as an ELF interpreter, if it is static. */
#include <stdio.h>
#include <stdlib.h>

int main(void) {
  const char* const preload = getenv("LD_PRELOAD");
  const char* const own = getenv("OWN");
  printf("preload %s, own %s\n", preload == NULL ? "none" : preload, own == NULL ? "none" : own);
  return 4;
}
