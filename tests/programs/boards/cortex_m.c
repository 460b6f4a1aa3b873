// A Cortex-M3 (qemu: mps2-an385): code at 0, RAM at 0x20000000, semihosting by breakpoints.
#include "board.h"

extern uint8_t fast_start[], fast_end[], fast_image[];
extern uint8_t zeros_start[], zeros_end[], stack_top[];

int main(void);

#define SYSTICK ((volatile uint32_t *)0xe000e010)
enum { clock_rate = 25000000, enabled_with_interrupt = 7 };

intptr_t ask_host(intptr_t operation, const void *arguments) {
  register intptr_t r0 __asm__("r0") = operation;
  register const void *r1 __asm__("r1") = arguments;
  __asm__ volatile("bkpt 0xab" : "+r"(r0) : "r"(r1) : "memory");
  return r0;
}

void start_timer(uint32_t rate) {
  SYSTICK[1] = clock_rate / rate - 1;
  SYSTICK[2] = 0;
  SYSTICK[0] = enabled_with_interrupt;
}

void stop_timer(void) { SYSTICK[0] = 0; }

// The interrupted program counter is the seventh word that the processor put on the stack.
UNCOUNTED __attribute__((naked)) void on_tick(void) {
  __asm__ volatile("ldr r0, [sp, #24]\n b sample");
}

// GCC's prologue: push {lr}; bl __gnu_mcount_nc. Registers of arguments stay as they are.
UNCOUNTED __attribute__((naked)) void __gnu_mcount_nc(void) {
  __asm__ volatile(
      "push {r0-r3, lr}\n"
      "bic r1, lr, #1\n"
      "ldr r0, [sp, #20]\n"
      "bic r0, r0, #1\n"
      "bl count_call\n"
      "pop {r0-r3, ip, lr}\n"
      "bx ip");
}

UNCOUNTED void on_reset(void) {
  const uint8_t *from = fast_image;
  for (uint8_t *to = fast_start; to != fast_end; ++to) *to = *from++;
  for (uint8_t *to = zeros_start; to != zeros_end; ++to) *to = 0;
  main();
}

UNCOUNTED static void on_fault(void) { end_program(2); }

__attribute__((section(".vectors"), used)) static void (*const vectors[16])(void) = {
    (void (*)(void))stack_top, on_reset, on_fault, on_fault, on_fault, on_fault, on_fault, 0, 0, 0,
    0, on_fault, on_fault, 0, on_fault, on_tick,
};
