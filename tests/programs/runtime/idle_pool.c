// Four workers sleep until there is work, for at least a second, and for three times as long as it
// took until they slept, so that they are idle for most of the run; then the main thread sleeps for
// 0.2 s.
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { workers = 4 };
static sem_t work;
static volatile long numbers[workers];

static void* wait_for_work(void* number) {
  *(volatile long*)number = syscall(SYS_gettid);
  sem_wait(&work);
  return NULL;
}

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static int sleeps(long number) {
  char text[512] = "";
  snprintf(text, sizeof text, "/proc/self/task/%ld/stat", number);
  FILE* file = number != 0 ? fopen(text, "r") : NULL;
  if (file == NULL) return 0;
  text[fread(text, 1, sizeof text - 1, file)] = 0;
  fclose(file);
  const char* name = strrchr(text, ')');
  return name != NULL && name[2] == 'S';
}

int main(void) {
  pthread_t ids[workers];
  const double begin = now();
  sem_init(&work, 0, 0);
  for (int i = 0; i < workers; ++i)
    pthread_create(&ids[i], NULL, wait_for_work, (void*)&numbers[i]);
  for (int i = 0; i < workers; ++i)
    while (!sleeps(numbers[i])) continue;
  const double passed = now() - begin;
  volatile double sum = 0;
  for (const double end = now() + 1 + 3 * passed; now() < end;) {
    for (int i = 0; i < 10000; ++i) sum = sum + i;
  }
  const struct timespec pause = {0, 200000000};
  nanosleep(&pause, NULL);
  for (int i = 0; i < workers; ++i) sem_post(&work);
  for (int i = 0; i < workers; ++i) pthread_join(ids[i], NULL);
  return 0;
}
