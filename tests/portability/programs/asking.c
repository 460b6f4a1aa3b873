/* Uses threads only if there are any: is not linked with libpthread. */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#pragma weak pthread_create
#pragma weak pthread_sigmask

static void* begin(void* place) { return place; }

static int has_library(const char* name) {
  char line[4096];
  int found = 0;
  FILE* maps = fopen("/proc/self/maps", "r");
  while (maps != 0 && fgets(line, sizeof line, maps) != 0) found |= strstr(line, name) != 0;
  return found;
}

int main(int count, char** arguments) {
  sigset_t signals;
  pthread_t thread;
  (void)arguments;
  printf("libpthread %d\n", has_library("libpthread"));
  sigemptyset(&signals);
  if (pthread_sigmask != 0) {
    printf("mask %d, of a wrong kind %d\n", pthread_sigmask(SIG_BLOCK, &signals, 0),
           pthread_sigmask(77, &signals, 0));
  }
  if (count > 1 && pthread_create != 0) printf("thread %d\n", pthread_create(&thread, 0, begin, 0));
  return 0;
}
