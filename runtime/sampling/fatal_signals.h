// Handlers of the signals by which a program crashes, to note where it does (crash_note.h).
//
// A handler of ours is only where the action was the default one when the collector began, and
// leaves when the program asks for any action. It restores the default action and returns to the
// instruction that faults again, or sends the thread the same signal again. That ends the process
// with the same status and the same core file as without us. Whoever asks libc for the action is
// told the default one (signal_guard.cc). When a stack overflows, there is no room to run a
// handler: the kernel ends the process, and nothing is noted.
//
// Only in the shared library: in a static program, libc's own functions would show the handlers.
//
// Thread contract: any thread, any signal handler; beginning with one thread.
#pragma once

#include <signal.h>

namespace gprof_runtime::sampler {

// Once, when the sampler has started.
void begin_noting_crashes();

// Before the program forbids itself system calls: a handler might be ended in place of the program.
void give_up_noting_crashes();

// Whether the program has a handler of its own, after which it may go on.
bool program_handles(int signal);

// What the program is to see in place of an action of ours.
void hide_fatal_action(int signal, struct sigaction* action);
sighandler_t hidden_fatal_handler(sighandler_t handler);

}  // namespace gprof_runtime::sampler
