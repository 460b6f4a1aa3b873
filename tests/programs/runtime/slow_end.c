// A thread computes, and then sleeps in a destructor of its data, while the main thread computes.
#define _GNU_SOURCE
#include <pthread.h>
#include <time.h>

static pthread_key_t key;

static double now(clockid_t clock) {
  struct timespec time;
  clock_gettime(clock, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

__attribute__((noinline)) static void compute(double seconds) {
  for (const double end = now(CLOCK_THREAD_CPUTIME_ID) + seconds; now(CLOCK_THREAD_CPUTIME_ID) < end;) {
    for (volatile int i = 0; i < 1000; i++) continue;
  }
}

static void destroy(void* value) {
  const struct timespec time = {0, 400000000};
  nanosleep(&time, NULL);
  (void)value;
}

static void* run(void* argument) {
  pthread_setname_np(pthread_self(), "late");
  pthread_setspecific(key, &key);
  compute(0.2);
  return argument;
}

int main(void) {
  pthread_t thread;
  pthread_key_create(&key, destroy);
  pthread_create(&thread, NULL, run, NULL);
  compute(0.2);
  compute(0.5);
  pthread_join(thread, NULL);
  return 0;
}
