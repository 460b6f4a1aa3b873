#include "runtime/unwind/known_code.h"

#include <cstddef>

#include <signal.h>
#include <ucontext.h>

namespace gprof_runtime {
namespace {

#if defined(__x86_64__)
constexpr std::uint8_t trampoline[] = {0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0,  // mov $15, %rax
                                       0x0f, 0x05};                      // syscall
constexpr std::uint8_t short_trampoline[] = {0xb8, 0x0f, 0, 0, 0,        // mov $15, %eax
                                             0x0f, 0x05};                // syscall
#else
constexpr std::uint8_t trampoline[] = {0x68, 0x11, 0x80, 0xd2,   // mov x8, #139
                                       0x01, 0x00, 0x00, 0xd4};  // svc #0
#endif

template <std::size_t Size>
bool is_at(std::uint64_t pc, const std::uint8_t (&instructions)[Size], ReadableMemory& memory) {
  if (!memory.covers(pc, Size)) return false;
  for (std::size_t i = 0; i < Size; ++i) {
    if (memory.byte_at(pc + i) != instructions[i]) return false;
  }
  return true;
}

}  // namespace

bool is_signal_trampoline(std::uint64_t pc, ReadableMemory& memory) {
#if defined(__x86_64__)
  return is_at(pc, trampoline, memory) || is_at(pc, short_trampoline, memory);
#else
  return is_at(pc, trampoline, memory);
#endif
}

#if defined(__x86_64__)

bool read_signal_frame(const Registers& at_trampoline, ReadableMemory& memory,
                       Registers* interrupted, std::uint64_t* pc_slot) {
  // In the order of DWARF's numbers.
  static constexpr std::uint8_t order[register_count] = {
      REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI, REG_RBP, REG_RSP,
      REG_R8,  REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15};
  const std::uint64_t saved = at_trampoline.sp() + offsetof(ucontext_t, uc_mcontext.gregs);
  for (unsigned i = 0; i < register_count; ++i) {
    if (!memory.read(saved + order[i] * sizeof(std::uint64_t), &interrupted->general[i])) {
      return false;
    }
  }
  *pc_slot = saved + REG_RIP * sizeof(std::uint64_t);
  return memory.read(*pc_slot, &interrupted->pc);
}

#else

bool read_signal_frame(const Registers& at_trampoline, ReadableMemory& memory,
                       Registers* interrupted, std::uint64_t* pc_slot) {
  // siginfo_t, of 128 bytes for the kernel, and the context; sp follows the registers, then pc.
  constexpr std::uint64_t size_of_information = 128;
  const std::uint64_t saved =
      at_trampoline.sp() + size_of_information + offsetof(ucontext_t, uc_mcontext.regs);
  for (unsigned i = 0; i < register_count; ++i) {
    if (!memory.read(saved + i * sizeof(std::uint64_t), &interrupted->general[i])) return false;
  }
  *pc_slot = saved + register_count * sizeof(std::uint64_t);
  return memory.read(*pc_slot, &interrupted->pc);
}

#endif

#if defined(__x86_64__)

bool is_linkage_stub(std::uint64_t, ReadableMemory&) { return false; }

#else

bool is_linkage_stub(std::uint64_t pc, ReadableMemory& memory) {
  constexpr std::uint64_t instruction = 4;
  constexpr unsigned longest = 5;  // bti c, adrp x16, ldr x17, add x16, br x17
  constexpr std::uint8_t jump[instruction] = {0x20, 0x02, 0x1f, 0xd6};  // br x17
  for (unsigned i = 0; i < longest; ++i) {
    if (is_at(pc + i * instruction, jump, memory)) return true;
  }
  return false;
}

#endif

}  // namespace gprof_runtime
