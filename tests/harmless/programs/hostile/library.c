#include <stdio.h>
static int opened;
__attribute__((constructor)) static void open_library(void) { opened = 1; }
__attribute__((destructor)) static void close_library(void) { opened = 0; }
int work(int number) {
  for (volatile int i = 0; i < 20000; ++i) continue;
  return number * opened;
}
