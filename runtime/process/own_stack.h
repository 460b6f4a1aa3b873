// A stack of the collector's own for each thread, for what takes more room than the signal handlers
// of programs leave on their alternate stacks: walks, which read the descriptions of frames.
//
// A signal that came meanwhile would find the thread on neither of its stacks, and the kernel would
// begin the alternate stack anew, over the frames of a handler that runs on it. So every signal is
// blocked.
//
// Ownership: the stack is part of the thread's state. Thread contract: the thread itself and its
// sample handler.
#pragma once

#include "runtime/process/thread_state.h"
#include "runtime/sampling/kernel_signals.h"

// arch/: calls work(argument) on the stack that ends at `end`, a multiple of 16.
extern "C" [[gnu::visibility("hidden")]] void gprof_runtime_call_on_stack(void (*work)(void*),
                                                                          void* argument,
                                                                          void* end);

namespace gprof_runtime {

// Where every signal is blocked, and not from `work` itself.
template <typename Work>
void run_on_own_stack(ThreadState* thread, Work& work) {
  thread->left_stack = reinterpret_cast<std::uint64_t>(__builtin_frame_address(0));
  gprof_runtime_call_on_stack([](void* argument) { (*static_cast<Work*>(argument))(); }, &work,
                              thread->own_stack + own_stack_size);
}

// Blocks them meanwhile. Where the program's own filter of system calls forbids that, on the stack
// that there is.
template <typename Work>
void run_blocked_on_own_stack(ThreadState* thread, Work& work) {
  sampler::SignalMask before = 0;
  if (!sampler::exchange_mask(sampler::every_signal, &before)) return work();
  run_on_own_stack(thread, work);
  sampler::exchange_mask(before, nullptr);
}

}  // namespace gprof_runtime
