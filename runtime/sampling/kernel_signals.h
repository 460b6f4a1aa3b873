// Signals by the kernel's own calls: actions, masks, what is pending.
//
// libc's functions are not used, as the collector interposes them in the shared library and must
// not take them from the program in the archive.
//
// Thread contract: any thread, any signal handler.
#pragma once

#include <cstdint>

#include <signal.h>

namespace gprof_runtime::sampler {

using SignalMask = std::uint64_t;  // bit n - 1 for signal n, as the kernel has it

inline constexpr SignalMask every_signal = ~SignalMask{0};
inline SignalMask signal_bit(int signal) { return SignalMask{1} << (signal - 1); }

SignalMask mask_of(const sigset_t& set);

// As the kernel keeps it, on both architectures.
struct KernelAction {
  std::uint64_t handler;  // 0 default, 1 ignored
  std::uint64_t flags;
  std::uint64_t restorer;
  SignalMask mask;
};
static_assert(sizeof(KernelAction) == 32);
inline constexpr std::uint64_t default_action = 0;
inline constexpr std::uint64_t ignored_action = 1;

bool read_action(int signal, KernelAction* action);
// Supplies the restorer.
bool write_action(int signal, KernelAction action);

// how: SIG_BLOCK, SIG_UNBLOCK, SIG_SETMASK. Returns the mask before.
SignalMask change_mask(int how, SignalMask mask);
// False where a filter of the program's forbids it; `before` may be null.
bool exchange_mask(SignalMask mask, SignalMask* before);

// Takes a pending signal from the queue, thread's first. False where none is pending.
bool take_pending(int signal, siginfo_t* info);
// Makes a signal pending that was taken: for the thread where a thread sent it to this one by
// tgkill(), else for the process.
void make_pending(int signal, const siginfo_t& info);

// Ends the process as the default action of the signal does.
[[noreturn]] void die_by(int signal);

}  // namespace gprof_runtime::sampler
