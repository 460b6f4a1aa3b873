// RISC-V (qemu: virt): RAM at 0x80000000, timer of the CLINT, semihosting by ebreak.
#include "board.h"

int main(void);

#define TIME (*(volatile uint64_t *)0x200bff8)
#define NEXT_INTERRUPT (*(volatile uint64_t *)0x2004000)
enum { clock_rate = 10000000 };

static uint64_t period;

intptr_t ask_host(intptr_t operation, const void *arguments) {
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

void start_timer(uint32_t rate) {
  period = clock_rate / rate;
  NEXT_INTERRUPT = TIME + period;
  __asm__ volatile("csrs mie, %0\n csrsi mstatus, 8" : : "r"(0x80));
}

void stop_timer(void) { __asm__ volatile("csrci mstatus, 8"); }

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
