/* Three times four threads, of 300,000 calls each, or as many as CALLS says. */
#include <pthread.h>

#ifndef CALLS
#define CALLS 300000
#endif

__attribute__((noinline)) unsigned tiny(unsigned n) { return n * 1664525u + 1; }

__attribute__((noinline)) unsigned work(unsigned value) {
  for (int i = 0; i < CALLS; ++i) value = tiny(value);
  return value;
}

static void* begin(void* place) {
  unsigned* value = place;
  *value = work(*value);
  return place;
}

int main(void) {
  pthread_t threads[4];
  unsigned values[4] = {1, 2, 3, 4};
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < 4; ++i) {
      if (pthread_create(&threads[i], 0, begin, &values[i]) != 0) return 1;
    }
    for (int i = 0; i < 4; ++i) pthread_join(threads[i], 0);
  }
  return 0;
}
