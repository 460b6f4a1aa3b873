// What every board with semihosting and code in two memories does alike.
#include "board.h"

extern uint8_t code_start[], code_end[], fast_start[], fast_end[];

size_t regions(struct region *found, size_t room) {
  (void)room;
  found[0] = (struct region){(uintptr_t)code_start, (uintptr_t)code_end, 0, 0};
  found[1] = (struct region){(uintptr_t)fast_start, (uintptr_t)fast_end, 0, 0};
  return 2;
}

int open_output(const char *name) {
  size_t length = 0;
  while (name[length] != '\0') ++length;
  const uintptr_t arguments[3] = {(uintptr_t)name, 5 /* "wb" */, length};
  return (int)ask_host(1, arguments);
}

void write_output(int file, const void *bytes, size_t size) {
  const uintptr_t arguments[3] = {(uintptr_t)file, (uintptr_t)bytes, size};
  if (ask_host(5, arguments) != 0) end_program(1);
}

void end_program(int status) {
  const uintptr_t arguments[2] = {0x20026 /* the application ended */, (uintptr_t)status};
  ask_host(0x20, arguments);
  for (;;) {
  }
}
