// Calls that come into profiled code through code that is not profiled: each function counts itself,
// for through_test.py. Linked with through_library.c, which is built without -pg.
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

void call_back(void (*function)(void), int times);
void call_back_deeply(void (*function)(void), int depth);

static int compared, searched;

__attribute__((noinline)) int cmp(const void* left, const void* right) {
  compared++;
  return *(const int*)left - *(const int*)right;
}
__attribute__((noinline)) int same(const void* left, const void* right) {
  searched++;
  return *(const int*)left - *(const int*)right;
}

__attribute__((always_inline)) static inline void sort(int size, unsigned seed) {
  int* numbers = malloc((size_t)size * sizeof *numbers);
  for (int i = 0; i < size; i++) numbers[i] = (int)((seed = seed * 1664525 + 1013904223) >> 8);
  qsort(numbers, (size_t)size, sizeof *numbers, cmp);
  __asm__ volatile("" : : "r"(numbers) : "memory");
  free(numbers);
}

__attribute__((noinline)) void a(void) { sort(1000, 1); }
__attribute__((noinline)) void b(void) { sort(5000, 2); }

__attribute__((noinline)) void search(void) {
  // Not the header's inline one.
  void* (*volatile find)(const void*, const void*, size_t, size_t,
                         int (*)(const void*, const void*)) = bsearch;
  int numbers[100];
  for (int i = 0; i < 100; i++) numbers[i] = 2 * i;
  for (int i = 0; i < 50; i++) find(&i, numbers, 100, sizeof *numbers, same);
}

__attribute__((noinline)) void initialise(void) { __asm__ volatile(""); }
__attribute__((noinline)) void once(void) {
  static pthread_once_t control = PTHREAD_ONCE_INIT;
  for (int i = 0; i < 3; i++) pthread_once(&control, initialise);
}

__attribute__((noinline)) void handled(int number) { (void)number; }
__attribute__((noinline)) void raiser(void) {
  signal(SIGUSR1, handled);
  for (int i = 0; i < 25; i++) raise(SIGUSR1);
}

__attribute__((noinline)) void* start(void* unused) { return unused; }
__attribute__((noinline)) void starter(void) {
  for (int i = 0; i < 4; i++) {
    pthread_t id;
    pthread_create(&id, NULL, start, NULL);
    pthread_join(id, NULL);
  }
}

__attribute__((noinline)) void called_back(void) { __asm__ volatile(""); }
__attribute__((noinline)) void deeply(void) { __asm__ volatile(""); }
__attribute__((noinline)) void first(void) {
  call_back(called_back, 70);
  __asm__ volatile("");
}
__attribute__((noinline)) void second(void) {
  call_back(called_back, 700);
  __asm__ volatile("");
}
__attribute__((noinline)) void third(void) {
  for (int i = 0; i < 60; i++) call_back_deeply(deeply, 1 + i % 20);
}

__attribute__((noinline)) void inner(void) { __asm__ volatile(""); }
__attribute__((noinline)) void outer(void) {
  call_back(inner, 2);
  __asm__ volatile("");
}
// Through the library, back, and through it again.
__attribute__((noinline)) void nested(void) {
  call_back(outer, 30);
  __asm__ volatile("");
}

__attribute__((noinline)) void at_end(void) { __asm__ volatile(""); }

int main(void) {
  int before = compared;
  a();
  printf("a_cmp %d\n", compared - before);
  before = compared;
  for (int i = 0; i < 3; i++) b();
  printf("b_cmp %d\n", compared - before);
  search();
  printf("search_same %d\n", searched);
  once();
  raiser();
  starter();
  first();
  second();
  third();
  nested();
  atexit(at_end);
  return 0;
}
