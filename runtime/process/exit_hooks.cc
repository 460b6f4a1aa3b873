// The ways to end that run no exit handlers: writes the profile first.
#include "runtime/process/hooks.h"
#include "runtime/process/kernel_calls.h"
#include "runtime/process/lifecycle.h"
#include "runtime/process/next_calls.h"
#include "runtime/sampling/crash_note.h"
#include "runtime/unwind/current_registers.h"

#define GPROF_EXPORT extern "C" [[gnu::visibility("default")]]

using gprof_runtime::Ending;
using gprof_runtime::kernel_calls;
using gprof_runtime::next_calls;

void gprof_runtime::keep_exit_hooks() { keep_own_abort(); }

// The next function may be that of a sanitizer, which ends the process with a status of its own.
// One that returns, against its contract, must not go on in code that the compiler left out.
GPROF_EXPORT __attribute__((noreturn)) void _exit(int status) {
  gprof_runtime::finish(Ending::exit_now, status, true);
  next_calls().exit(status);
  for (;;) kernel_calls.exit(status);
}

GPROF_EXPORT __attribute__((noreturn)) void _Exit(int status) {
  gprof_runtime::finish(Ending::exit_now, status, true);
  next_calls().exit_of_c(status);
  for (;;) kernel_calls.exit(status);
}

GPROF_EXPORT __attribute__((noreturn)) void abort() {
  gprof_runtime::sampler::note_abort(gprof_runtime::current_registers());
  gprof_runtime::finish(Ending::aborted, 0, true);
  next_calls().abort();
  for (;;) kernel_calls.abort();
}
