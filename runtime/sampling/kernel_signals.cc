#include "runtime/sampling/kernel_signals.h"

#include <cstdint>

#include <signal.h>

#include "runtime/system/syscalls.h"

// The restorer, which the handler returns to. Its call frame information says where the signal
// frame keeps the registers, so that debuggers and unwinders get past it: at the restorer the stack
// pointer points to the ucontext, whose registers begin at byte 40. Unwinders look up the byte
// before a return address, so the information begins before the first instruction.
#if defined(__x86_64__)
asm(R"(
	.pushsection .text, "ax", @progbits
	.p2align 4
	.macro gprof_saved register, offset
	.cfi_escape 0x10, \register, 3, 0x77, (\offset & 0x7f) | 0x80, \offset >> 7
	.endm
	.type gprof_runtime_restorer, @function
	.hidden gprof_runtime_restorer
	.globl gprof_runtime_restorer
	.cfi_startproc simple
	.cfi_signal_frame
	.cfi_escape 0x0f, 4, 0x77, 0xa0, 0x01, 0x06  # the frame begins where rsp, at 160, points to
	gprof_saved 0, 144
	gprof_saved 1, 136
	gprof_saved 2, 152
	gprof_saved 3, 128
	gprof_saved 4, 112
	gprof_saved 5, 104
	gprof_saved 6, 120
	gprof_saved 7, 160
	gprof_saved 8, 40
	gprof_saved 9, 48
	gprof_saved 10, 56
	gprof_saved 11, 64
	gprof_saved 12, 72
	gprof_saved 13, 80
	gprof_saved 14, 88
	gprof_saved 15, 96
	gprof_saved 16, 168
	nop
gprof_runtime_restorer:
	movq $15, %rax
	syscall
	.cfi_endproc
	.size gprof_runtime_restorer, . - gprof_runtime_restorer
	.purgem gprof_saved
	.popsection
)");
extern "C" void gprof_runtime_restorer();
#endif

namespace gprof_runtime::sampler {
namespace {

constexpr std::uint64_t with_restorer = 0x04000000;
constexpr long mask_size = sizeof(SignalMask);

}  // namespace

SignalMask mask_of(const sigset_t& set) {
  SignalMask mask = 0;
  __builtin_memcpy(&mask, &set, sizeof mask);
  return mask;
}

void set_mask(sigset_t* set, SignalMask mask) { __builtin_memcpy(set, &mask, sizeof mask); }

bool read_action(int signal, KernelAction* action) {
  return sys::call_insisting(__NR_rt_sigaction, signal, 0, sys::word(action), mask_size) == 0;
}

bool write_action(int signal, KernelAction action) {
#if defined(__x86_64__)
  action.flags |= with_restorer;
  action.restorer = reinterpret_cast<std::uint64_t>(&gprof_runtime_restorer);
#else
  action.flags &= ~with_restorer;  // the kernel's own
  action.restorer = 0;
#endif
  return sys::call_insisting(__NR_rt_sigaction, signal, sys::word(&action), 0, mask_size) == 0;
}

SignalMask change_mask(int how, SignalMask mask) {
  SignalMask before = 0;
  sys::call_insisting(__NR_rt_sigprocmask, how, sys::word(&mask), sys::word(&before), mask_size);
  return before;
}

bool exchange_mask(SignalMask mask, SignalMask* before) {
  return sys::call_insisting(__NR_rt_sigprocmask, SIG_SETMASK, sys::word(&mask), sys::word(before),
                             mask_size) == 0;
}

bool take_pending(int signal, siginfo_t* info) {
  const SignalMask wanted = signal_bit(signal);
  const struct timespec no_time = {};
  return sys::call(__NR_rt_sigtimedwait, sys::word(&wanted), sys::word(info), sys::word(&no_time),
                   mask_size) == signal;
}

void make_pending(int signal, const siginfo_t& info) {
  const long process = sys::call(__NR_getpid);
  if (info.si_code == SI_TKILL) {
    sys::call(__NR_rt_tgsigqueueinfo, process, sys::call(__NR_gettid), signal, sys::word(&info));
  } else if (sys::failed(sys::call(__NR_rt_sigqueueinfo, process, signal, sys::word(&info)))) {
    // Only the first thread may speak for a sender that is not a process's sigqueue().
    sys::call(__NR_kill, process, signal);
  }
}

void die_by(int signal) {
  write_action(signal, KernelAction{});
  sys::call_always(__NR_tgkill, sys::call_always(__NR_getpid), sys::call_always(__NR_gettid),
                   signal);
  change_mask(SIG_UNBLOCK, signal_bit(signal));
  for (;;) sys::call_always(__NR_exit_group, 128 + signal);
}

}  // namespace gprof_runtime::sampler
