// Emulates the program's own use of the sampling signals, while the collector's handler stays
// installed.
//
// The program may install an action for such a signal, block it, and send it. Its action is stored
// here and returned on request; signals that are not the collector's are passed on to it. If the
// program blocks the signal, it stays unblocked in the kernel, because samples would stop; when one
// of the program's own signals then arrives, it is really blocked and made pending again.
//
// Thread contract: any thread, any signal handler.
#pragma once

#include <cstdint>

#include <signal.h>
#include <ucontext.h>

#include "runtime/sampling/kernel_signals.h"

namespace gprof_runtime::sampler {

// The action that the program believes to be installed; the default until it installs one. Of the
// two sampling signals, perf's has its own; any other number stands for the tick's.
void read_program_action(int signal, struct sigaction* action);
void write_program_action(int signal, const struct sigaction& action);

// In a forked child, whose parent may have been writing.
void abandon_program_action_lock();

// The signals that the current thread believes to have blocked. For the sampling signals (empty:
// not chosen yet) this is exact once the thread has set its mask through the guarded functions; it
// must not change its mask otherwise.
SignalMask program_mask(SignalMask sampling);
void change_program_mask(SignalMask mask);
// The mask that the current thread had before the collector changed it.
void note_previous_mask(SignalMask mask);
// Whether the current thread has asked to block the signal.
bool program_blocks(int signal);

// Treats a signal that is not the collector's as the program requested. Called from the sample
// handler, with its context and every signal blocked.
void pass_on(int signal, siginfo_t* info, ucontext_t* context);

}  // namespace gprof_runtime::sampler
