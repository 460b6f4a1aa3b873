// Blocks every signal around work that a handler must not see half done.
//
// Thread contract: used by the thread that creates it.
#pragma once

#include <cstdint>

#include "runtime/sampling/sampler.h"
#include "runtime/system/syscalls.h"

namespace gprof_runtime {

// How deeply nested the current thread is in these blocks and in the sample handler, which runs
// with every signal blocked. Only the outermost lets the sampling signals through when it ends.
[[gnu::tls_model("initial-exec"),
  gnu::visibility("hidden")]] inline constinit thread_local std::uint32_t signal_blocks = 0;

// Returns the previous mask.
inline std::uint64_t block_signals() {
  constexpr std::uint64_t every_signal = ~std::uint64_t{0};
  std::uint64_t before = 0;
  constexpr long set_mask = 2;
  sys::call_insisting(__NR_rt_sigprocmask, set_mask, sys::word(&every_signal), sys::word(&before),
                      8);
  ++signal_blocks;
  return before;
}

// The sampling signal stays unblocked, even in a program started with all signals blocked.
inline void restore_signals(std::uint64_t before) {
  constexpr long set_mask = 2;
  if (--signal_blocks == 0) before = sampler::without_signal(before);
  sys::call_insisting(__NR_rt_sigprocmask, set_mask, sys::word(&before), 0, 8);
}

class SignalBlock {
 public:
  SignalBlock() : before_(block_signals()) {}
  ~SignalBlock() { restore_signals(before_); }
  SignalBlock(const SignalBlock&) = delete;
  SignalBlock& operator=(const SignalBlock&) = delete;

  std::uint64_t before() const { return before_; }

 private:
  std::uint64_t before_;
};

}  // namespace gprof_runtime
