// Four workers wait for work that comes after a second; then the main thread sleeps for 0.2 s.
#include <pthread.h>
#include <semaphore.h>
#include <time.h>

enum { workers = 4 };
static sem_t work;

static void* wait_for_work(void* unused) {
  sem_wait(&work);
  return unused;
}

int main(void) {
  pthread_t ids[workers];
  sem_init(&work, 0, 0);
  for (int i = 0; i < workers; ++i) pthread_create(&ids[i], NULL, wait_for_work, NULL);
  volatile double sum = 0;
  struct timespec begin, now;
  clock_gettime(CLOCK_MONOTONIC, &begin);
  do {
    for (int i = 0; i < 10000; ++i) sum = sum + i;
    clock_gettime(CLOCK_MONOTONIC, &now);
  } while (1e9 * (double)(now.tv_sec - begin.tv_sec) + (double)(now.tv_nsec - begin.tv_nsec) < 1e9);
  const struct timespec pause = {0, 200000000};
  nanosleep(&pause, NULL);
  for (int i = 0; i < workers; ++i) sem_post(&work);
  for (int i = 0; i < workers; ++i) pthread_join(ids[i], NULL);
  return 0;
}
