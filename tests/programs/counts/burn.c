/* Spends time in known proportions, in functions that call each other in known numbers. */
#include <stdio.h>

static volatile unsigned sink;

void __attribute__((noinline)) spin(unsigned rounds) {
  for (unsigned i = 0; i < rounds; i++) sink = sink * 1664525u + 1013904223u;
}

void __attribute__((noinline)) leaf_light(void) {
  spin(2000);
}
void __attribute__((noinline)) leaf_heavy(void) {
  for (unsigned i = 0; i < 12000; i++) sink ^= i * sink;
}

void __attribute__((noinline)) middle(int n) {
  for (int i = 0; i < n; i++) leaf_light();
  leaf_heavy();
}

int ping(int n);
int __attribute__((noinline)) pong(int n) {
  spin(500);
  return n == 0 ? 0 : ping(n - 1);
}
int __attribute__((noinline)) ping(int n) {
  leaf_light();
  return n == 0 ? 1 : pong(n - 1);
}

int main(void) {
  int total = 0;
  for (int i = 0; i < 6000; i++) {
    middle(3);
    leaf_heavy();
    total += ping(4);
  }
  printf("%d\n", total);
  return 0;
}
