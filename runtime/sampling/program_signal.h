// What the program asks of the sampling signal, while the collector's handler stays installed.
//
// The program may install an action for that signal, block it, and send it. Its action is kept here
// and answered; signals that are not the collector's are passed on to it. Where the program blocks
// the signal, it is not blocked in the kernel, as samples would stop; when a signal of the
// program's own then comes, it is blocked in earnest and made pending again.
//
// Thread contract: any thread, any signal handler.
#pragma once

#include <cstdint>

#include <signal.h>
#include <ucontext.h>

#include "runtime/sampling/kernel_signals.h"

namespace gprof_runtime::sampler {

// The action as the program believes it to be installed. Until it installs one, the default.
void read_program_action(struct sigaction* action);
void write_program_action(const struct sigaction& action);

// In a forked child, whose parent may have been writing.
void abandon_program_action_lock();

// The signals that the current thread has blocked, as it believes: exact for the sampling signal
// (0: none is chosen yet) once the thread has said so through the guarded functions. The thread's
// mask is not to be changed otherwise meanwhile.
SignalMask program_mask(int signal);
void change_program_mask(SignalMask mask);
// Whether the current thread said so.
bool program_blocks(int signal);

// Does with a signal that is not the collector's what the program asked for. From the sample
// handler, whose context it is; every signal is blocked.
void pass_on(int signal, siginfo_t* info, ucontext_t* context);

}  // namespace gprof_runtime::sampler
