// Signal actions, masks and pending signals through raw system calls.
//
// Does not use libc's functions: in the shared library the collector interposes them, and in the
// archive it must not take them from the program.
//
// Thread contract: any thread, any signal handler.
#pragma once

#include <cstdint>

#include <signal.h>

namespace gprof_runtime::sampler {

using SignalMask = std::uint64_t;  // bit n - 1 for signal n, as in the kernel

inline constexpr SignalMask every_signal = ~SignalMask{0};
inline SignalMask signal_bit(int signal) { return SignalMask{1} << (signal - 1); }

inline constexpr int highest_signal = 64;

SignalMask mask_of(const sigset_t& set);
void set_mask(sigset_t* set, SignalMask mask);  // of the kernel's signals; leaves the rest alone

// The kernel's layout, on both architectures.
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

// how: SIG_BLOCK, SIG_UNBLOCK, SIG_SETMASK. Returns the previous mask.
SignalMask change_mask(int how, SignalMask mask);
// False if a filter of the program forbids it; `before` may be null.
bool exchange_mask(SignalMask mask, SignalMask* before);

// Takes a pending signal from the queue, the thread's first. False if none is pending.
bool take_pending(int signal, siginfo_t* info);
// Makes a signal that was taken pending again: for this thread if it was sent by tgkill(),
// otherwise for the process. What it said of its sender may be lost.
void make_pending(int signal, const siginfo_t& info);

// Ends the process like the signal's default action.
[[noreturn]] void die_by(int signal);

}  // namespace gprof_runtime::sampler
