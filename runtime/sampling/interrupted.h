// The registers of the code that a signal interrupted.
#pragma once

#include <cstdint>

#include <ucontext.h>

#include "runtime/unwind/unwinder.h"

namespace gprof_runtime::sampler {

inline std::uint64_t interrupted_pc(const ucontext_t& context) {
#if defined(__x86_64__)
  return static_cast<std::uint64_t>(context.uc_mcontext.gregs[REG_RIP]);
#else
  return context.uc_mcontext.pc;
#endif
}

inline void read_registers(const ucontext_t& context, Registers* registers) {
  registers->pc = interrupted_pc(context);
#if defined(__x86_64__)
  // In the order of their DWARF numbers.
  constexpr int order[register_count] = {REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI,
                                         REG_RBP, REG_RSP, REG_R8,  REG_R9,  REG_R10, REG_R11,
                                         REG_R12, REG_R13, REG_R14, REG_R15};
  for (unsigned i = 0; i < register_count; ++i) {
    registers->general[i] = static_cast<std::uint64_t>(context.uc_mcontext.gregs[order[i]]);
  }
#else
  for (unsigned i = 0; i < stack_register; ++i) registers->general[i] = context.uc_mcontext.regs[i];
  registers->general[stack_register] = context.uc_mcontext.sp;
#endif
}

}  // namespace gprof_runtime::sampler
