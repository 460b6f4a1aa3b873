// Linked with libprofiled.so (library.c with TAG=_one): calls into it, and back.
#include <pthread.h>
#include <stdio.h>

void enter_one(int times);
void back_one(void (*function)(void), int times);

__attribute__((noinline)) void own(void) { __asm__ volatile(""); }
__attribute__((noinline)) void called_back(void) { own(); }
__attribute__((noinline)) void left(void) { enter_one(5); }
__attribute__((noinline)) void right(void) {
  for (int i = 0; i < 3; i++) enter_one(7);
}
__attribute__((noinline)) void* thread(void* unused) {
  back_one(called_back, 1000);
  return unused;
}

int main(void) {
  left();
  right();
  pthread_t ids[4];
  for (int i = 0; i < 4; i++) pthread_create(&ids[i], NULL, thread, NULL);
  for (int i = 0; i < 4; i++) pthread_join(ids[i], NULL);
  puts("done");
  return 0;
}
