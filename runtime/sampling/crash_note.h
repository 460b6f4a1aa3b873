// Where the program was when a signal ended it, noted in the live file.
//
// The first crash of the process is the one that is noted. Nothing is noted without stacks, in a
// child that runs in its parent's memory (vfork), and where memory runs out.
//
// Thread contract: any thread, any signal handler, on any stack.
#pragma once

#include <cstdint>

#include "runtime/unwind/unwinder.h"

namespace gprof_runtime::sampler {

struct Crash {
  int signal = 0;
  int code = 0;               // si_code
  std::uint64_t address = 0;  // of the access that faulted; 0 if none did
};

// `registers`: of the code that the signal interrupted. With every signal blocked.
void note_crash(const Crash& crash, const Registers& registers);

// The program called abort(), or a function of libc that ends in it; `registers`: of the hook.
void note_abort(const Registers& registers);

}  // namespace gprof_runtime::sampler
