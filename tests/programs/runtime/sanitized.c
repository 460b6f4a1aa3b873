// sanitized [ACTION]: calls out of two threads and memory from the heap, in C and in C++; then an error of
// the kind that ACTION names, for the sanitizers to find.
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void* volatile kept;
static volatile int shared;
static int started;

__attribute__((noinline)) void leaf(void) { __asm__ volatile(""); }
__attribute__((noinline)) void work(int times) {
  for (int i = 0; i < times; i++) leaf();
}

static void* thread(void* unused) {
  (void)unused;
  work(500);
  free(malloc(100));
  return NULL;
}

// Both threads at once, for long: the sanitizer may miss a single race, but not all of these.
static void* racing(void* unused) {
  (void)unused;
  __atomic_add_fetch(&started, 1, __ATOMIC_RELAXED);
  while (__atomic_load_n(&started, __ATOMIC_RELAXED) < 2) sched_yield();
  for (int i = 0; i < 100000; i++) shared = i;
  return NULL;
}

__attribute__((noinline)) static void lose_memory(void) {
  kept = malloc(77);
  memset(kept, 1, 77);
  kept = NULL;
}

int main(int count, char** words) {
  const char* action = count > 1 ? words[1] : "";
  pthread_t other;
  work(1000);
  if (pthread_create(&other, NULL, thread, NULL) != 0 || pthread_join(other, NULL) != 0) return 3;
  puts("worked");
  fflush(stdout);
  if (strcmp(action, "leak") == 0) lose_memory();
  if (strcmp(action, "overflow") == 0) {
    char* memory = (char*)malloc(8);
    kept = memory;
    memory[8 + count - 2] = 1;
  }
  if (strcmp(action, "undefined") == 0) {
    int large = INT_MAX - 2 + count;
    printf("%d\n", large + count);
  }
  if (strncmp(action, "race", 4) == 0) {
    pthread_t second;
    if (pthread_create(&other, NULL, racing, NULL) != 0) return 3;
    if (pthread_create(&second, NULL, racing, NULL) != 0) return 3;
    pthread_join(other, NULL);
    pthread_join(second, NULL);
  }
  if (strcmp(action, "race_and_exit") == 0) _exit(0);
  if (strcmp(action, "race_and_Exit") == 0) _Exit(0);
  if (strcmp(action, "exit") == 0) return 7;
  return 0;
}
