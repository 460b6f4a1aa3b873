// Registers to start walks from, and walks by our unwinder and the compiler's, to compare.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <ucontext.h>
#include <unwind.h>

#include "runtime/unwind/unwinder.h"

namespace unwind_support {

inline gprof_runtime::Registers registers_of(const ucontext_t& context) {
  gprof_runtime::Registers registers;
#if defined(__x86_64__)
  constexpr int order[] = {REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI, REG_RBP, REG_RSP,
                           REG_R8,  REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15};
  for (unsigned i = 0; i < gprof_runtime::register_count; ++i) {
    registers.general[i] = static_cast<std::uint64_t>(context.uc_mcontext.gregs[order[i]]);
  }
  registers.pc = static_cast<std::uint64_t>(context.uc_mcontext.gregs[REG_RIP]);
#else
  for (unsigned i = 0; i < 31; ++i) registers.general[i] = context.uc_mcontext.regs[i];
  registers.general[31] = context.uc_mcontext.sp;
  registers.pc = context.uc_mcontext.pc;
#endif
  return registers;
}

// A position of a walk: a pc, and the stack pointer there.
struct Frame {
  std::uint64_t pc = 0;
  std::uint64_t sp = 0;
  bool operator==(const Frame&) const = default;
};

// Fixed arrays, since walks run in signal handlers.
struct Walk {
  static constexpr std::size_t most = 4096;
  Frame frames[most];
  std::size_t size = 0;
  bool complete = false;
  bool left_signal_handler = false;
  std::size_t interrupted = 0;  // the frame that the signal interrupted, where there is one

  void add(Frame frame) {
    if (size < most) frames[size++] = frame;
  }
};

// Includes the frame it starts in.
inline void walk_ours(const gprof_runtime::Registers& registers, bool exact_pc,
                      gprof_runtime::RuleCache* cache, Walk* walk) {
  walk->size = 0;
  walk->left_signal_handler = false;
  walk->interrupted = 0;
  gprof_runtime::Unwinder unwinder(registers, exact_pc, cache, 0);
  walk->add({unwinder.pc(), unwinder.registers().sp()});
  while (walk->size < Walk::most && unwinder.step()) {
    walk->add({unwinder.pc(), unwinder.registers().sp()});
    if (!unwinder.left_signal_handler()) continue;
    walk->left_signal_handler = true;
    walk->interrupted = walk->size - 1;
  }
  walk->complete = unwinder.complete();
}

inline _Unwind_Reason_Code visit_frame(_Unwind_Context* context, void* walk) {
  static_cast<Walk*>(walk)->add({_Unwind_GetIP(context), _Unwind_GetCFA(context)});
  return _URC_NO_REASON;
}

// The compiler's, which starts at its caller.
inline void walk_reference(Walk* walk) {
  walk->size = 0;
  _Unwind_Backtrace(visit_frame, walk);
}

// How many frames agree from the one that is `first` in the reference on. Both end with a frame
// without a caller, where the reference may have a null pc.
struct Agreement {
  bool starts = false;  // the reference has the first frame
  std::size_t same = 0;
  std::size_t ours = 0;
  std::size_t reference = 0;
  bool whole() const { return starts && same == ours && same == reference; }
};

inline Agreement compare(const Walk& ours, const Walk& reference) {
  Agreement agreement;
  agreement.ours = ours.size;
  std::size_t first = 0;
  while (first < reference.size && reference.frames[first].pc != ours.frames[0].pc) ++first;
  agreement.starts = first < reference.size;
  std::size_t end = reference.size;
  while (end > first && reference.frames[end - 1].pc == 0) --end;
  agreement.reference = end - first;
  const auto agrees = [&](std::size_t i) {
    if (i == 0) return agreement.starts;
    const Frame& expected = reference.frames[first + i];
    // On aarch64 the reference has another place on the stack for the frame that a signal
    // interrupted.
#if defined(__aarch64__)
    if (i == ours.interrupted) return ours.frames[i].pc == expected.pc;
#endif
    return ours.frames[i] == expected;
  };
  while (agreement.same < ours.size && first + agreement.same < end && agrees(agreement.same)) {
    ++agreement.same;
  }
  return agreement;
}

}  // namespace unwind_support

// Walks from here both ways. A macro, since both must start in the same frame. Their first frames
// differ in pc; the callers must agree.
#define WALK_BOTH_WAYS(ours, reference, cache)                                                     \
  do {                                                                                             \
    ucontext_t context_here;                                                                       \
    getcontext(&context_here);                                                                     \
    unwind_support::walk_ours(unwind_support::registers_of(context_here), false, (cache), (ours)); \
    unwind_support::walk_reference(reference);                                                     \
  } while (false)
