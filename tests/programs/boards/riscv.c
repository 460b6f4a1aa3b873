// RISC-V (qemu: virt): RAM at 0x80000000, timer of the CLINT, semihosting by ebreak.
#include "board.h"

extern uint8_t code_start[], code_end[], fast_start[], fast_end[];

int main(void);

#define TIME (*(volatile uint64_t *)0x200bff8)
#define NEXT_INTERRUPT (*(volatile uint64_t *)0x2004000)
enum { clock_rate = 10000000 };

static uint64_t period;

UNCOUNTED static intptr_t ask_host(intptr_t operation, const void *arguments) {
  register intptr_t a0 __asm__("a0") = operation;
  register const void *a1 __asm__("a1") = arguments;
  __asm__ volatile(
      ".option push\n .option norvc\n .balign 16\n"
      "slli x0, x0, 0x1f\n ebreak\n srai x0, x0, 7\n .option pop"
      : "+r"(a0)
      : "r"(a1)
      : "memory");
  return a0;
}

size_t regions(struct region *found, size_t room) {
  (void)room;
  found[0] = (struct region){(uintptr_t)code_start, (uintptr_t)code_end, 0, 0};
  found[1] = (struct region){(uintptr_t)fast_start, (uintptr_t)fast_end, 0, 0};
  return 2;
}

void start_timer(uint32_t rate) {
  period = clock_rate / rate;
  NEXT_INTERRUPT = TIME + period;
  __asm__ volatile("csrs mie, %0\n csrsi mstatus, 8" : : "r"(0x80));
}

void stop_timer(void) { __asm__ volatile("csrci mstatus, 8"); }

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

UNCOUNTED __attribute__((interrupt("machine"), aligned(4), used)) static void on_trap(void) {
  intptr_t cause;
  uintptr_t counter;
  __asm__ volatile("csrr %0, mcause\n csrr %1, mepc" : "=r"(cause), "=r"(counter));
  if (cause >= 0) end_program(2);
  sample(counter);
  NEXT_INTERRUPT += period;
}

// GCC's prologue passes the function's own return address.
UNCOUNTED void _mcount(uintptr_t from) {
  count_call(from, (uintptr_t)__builtin_return_address(0));
}

UNCOUNTED __attribute__((naked, section(".start"), used)) void _start(void) {
  __asm__ volatile(
      ".option push\n .option norelax\n la gp, __global_pointer$\n .option pop\n"
      "la sp, stack_top\n la t0, on_trap\n csrw mtvec, t0\n call main");
}
