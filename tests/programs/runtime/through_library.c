// Not profiled: calls functions back, with frames of many sizes.
#include <string.h>

void call_back(void (*function)(void), int times) {
  for (int i = 0; i < times; i++) function();
}

void call_back_deeply(void (*function)(void), int depth) {
  char room[64 * depth];
  memset(room, depth, sizeof room);
  __asm__ volatile("" : : "r"(room) : "memory");
  if (depth > 1) {
    call_back_deeply(function, depth - 1);
  } else {
    function();
  }
  __asm__ volatile("" : : "r"(room) : "memory");
}
