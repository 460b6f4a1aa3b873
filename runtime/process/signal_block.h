// Keeps every signal away while something is done that a handler must not find half done.
//
// Thread contract: the thread that makes it.
#pragma once

#include <cstdint>

#include "runtime/sampling/sampler.h"
#include "runtime/system/syscalls.h"

namespace gprof_runtime {

// The mask that was set before.
inline std::uint64_t block_signals() {
  constexpr std::uint64_t every_signal = ~std::uint64_t{0};
  std::uint64_t before = 0;
  constexpr long set_mask = 2;
  sys::call(__NR_rt_sigprocmask, set_mask, sys::word(&every_signal), sys::word(&before), 8);
  return before;
}

// The sampling signal stays free, also in a program that was started with all signals blocked.
inline void restore_signals(std::uint64_t before) {
  constexpr long set_mask = 2;
  before = sampler::without_signal(before);
  sys::call(__NR_rt_sigprocmask, set_mask, sys::word(&before), 0, 8);
}

class SignalBlock {
 public:
  SignalBlock() : before_(block_signals()) {}
  ~SignalBlock() { restore_signals(before_); }
  SignalBlock(const SignalBlock&) = delete;
  SignalBlock& operator=(const SignalBlock&) = delete;

 private:
  std::uint64_t before_;
};

}  // namespace gprof_runtime
