// The collector's own stack for each thread. Stack walks, which interpret call frame information,
// need more room than a program's signal handlers may leave on their alternate stacks.
//
// If a signal arrived meanwhile, the kernel would see the thread on neither of its stacks and start
// the alternate stack over, on top of the frames of a handler running there. So every signal is
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

// Every signal must be blocked; must not be called from `work` itself.
template <typename Work>
void run_on_own_stack(ThreadState* thread, Work& work) {
  thread->left_stack = reinterpret_cast<std::uint64_t>(__builtin_frame_address(0));
  gprof_runtime_call_on_stack([](void* argument) { (*static_cast<Work*>(argument))(); }, &work,
                              thread->own_stack + own_stack_size);
}

// Blocks signals meanwhile. If the program's own system call filter forbids that, runs on the
// current stack.
template <typename Work>
void run_blocked_on_own_stack(ThreadState* thread, Work& work) {
  sampler::SignalMask before = 0;
  if (!sampler::exchange_mask(sampler::every_signal, &before)) return work();
  run_on_own_stack(thread, work);
  sampler::exchange_mask(before, nullptr);
}

}  // namespace gprof_runtime
