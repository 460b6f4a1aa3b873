// The registers of the calling function, to start a walk from.
//
// Thread contract: any thread, any signal handler.
#pragma once

#include "runtime/unwind/unwinder.h"

namespace gprof_runtime {

// Callee-saved registers, stack pointer and pc. Use them with an exact pc, and only in the function
// that called this.
[[gnu::always_inline]] inline Registers current_registers() {
  Registers registers;
#if defined(__x86_64__)
  asm volatile(
      "leaq 1f(%%rip), %%rax\n"
      "1: movq %%rax, %0\n"
      "movq %%rbx, %1\n"
      "movq %%rbp, %2\n"
      "movq %%rsp, %3\n"
      "movq %%r12, %4\n"
      "movq %%r13, %5\n"
      "movq %%r14, %6\n"
      "movq %%r15, %7\n"
      : "=m"(registers.pc), "=m"(registers.general[3]), "=m"(registers.general[6]),
        "=m"(registers.general[7]), "=m"(registers.general[12]), "=m"(registers.general[13]),
        "=m"(registers.general[14]), "=m"(registers.general[15])
      :
      : "rax", "memory");
#else
  asm volatile(
      "adr x9, 1f\n"
      "1: str x9, [%0]\n"
      "mov x10, sp\n"
      "str x10, [%0, #256]\n"
      "add x11, %0, #8\n"
      "stp x19, x20, [x11, #152]\n"
      "stp x21, x22, [x11, #168]\n"
      "stp x23, x24, [x11, #184]\n"
      "stp x25, x26, [x11, #200]\n"
      "stp x27, x28, [x11, #216]\n"
      "stp x29, x30, [x11, #232]\n"
      :
      : "r"(&registers)
      : "x9", "x10", "x11", "memory");
#endif
  return registers;
}

}  // namespace gprof_runtime
