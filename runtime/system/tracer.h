// Whether a debugger or tracer (gdb, strace, a sandbox by ptrace) controls the process. It sees
// every signal before the program does, and stops or prints something at each.
//
// Thread contract: any thread, any signal handler.
#pragma once

namespace gprof_runtime {

// Whether the current thread has a tracer; false if /proc does not say.
bool has_tracer();

}  // namespace gprof_runtime
