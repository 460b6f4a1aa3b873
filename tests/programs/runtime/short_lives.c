// short_lives MILLISECONDS: threads that burn a little and end, while the program forks all the time:
// whatever sampled a thread has to stop with it, though a child holds copies of its descriptors.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile int done;

__attribute__((noinline)) void burn(void) {
  for (volatile int i = 0; i < 300 * 1000; i++) continue;
}
__attribute__((noinline)) void* brief(void* unused) {
  burn();
  return unused;
}
static void* spawner(void* unused) {
  while (!done) {
    pthread_t id;
    if (pthread_create(&id, NULL, brief, NULL) == 0) pthread_join(id, NULL);
  }
  return unused;
}

int main(int count, char** arguments) {
  long milliseconds = count > 1 ? atol(arguments[1]) : 1000;
  pthread_t ids[4];
  for (int i = 0; i < 4; i++) pthread_create(&ids[i], NULL, spawner, NULL);
  struct timespec start, now;
  clock_gettime(CLOCK_MONOTONIC, &start);
  do {
    pid_t child = fork();
    if (child == 0) _exit(0);
    waitpid(child, NULL, 0);
    clock_gettime(CLOCK_MONOTONIC, &now);
  } while ((now.tv_sec - start.tv_sec) * 1000 + (now.tv_nsec - start.tv_nsec) / 1000000 <
           milliseconds);
  done = 1;
  for (int i = 0; i < 4; i++) pthread_join(ids[i], NULL);
  puts("done");
  return 0;
}
