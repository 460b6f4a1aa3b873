// Locks that need no libc. A Lock is held for a few instructions with signals blocked, so that
// waits are short and no handler waits for the thread that it interrupted.
//
// Thread contract: stated at each function.
#pragma once

#include <cstdint>

#include "runtime/system/syscalls.h"

namespace gprof_runtime {

class Lock {
 public:
  // With signals blocked.
  void acquire() {
    while (__atomic_exchange_n(&held_, 1, __ATOMIC_ACQUIRE) != 0) sys::call(__NR_sched_yield);
  }
  void release() { __atomic_store_n(&held_, 0, __ATOMIC_RELEASE); }

 private:
  std::uint32_t held_ = 0;
};

// A recursive lock that may be held for long. In a forked child, a lock that another thread of the
// parent held is free.
class OwnedLock {
 public:
  // Returns whether it was free; if not, *own says whether the calling thread itself holds it.
  bool try_acquire(bool* own) {
    const auto process = static_cast<std::uint64_t>(sys::call(__NR_getpid)) << 32;
    const std::uint64_t self = process | static_cast<std::uint32_t>(sys::call(__NR_gettid));
    std::uint64_t owner = 0;
    if (replace(&owner, self)) return true;
    const bool is_left_over = owner >> 32 << 32 != process;
    if (is_left_over && replace(&owner, self)) return true;
    *own = owner == self;
    return false;
  }
  void release() { __atomic_store_n(&owner_, 0, __ATOMIC_RELEASE); }

 private:
  bool replace(std::uint64_t* expected, std::uint64_t desired) {
    return __atomic_compare_exchange_n(&owner_, expected, desired, false, __ATOMIC_ACQUIRE,
                                       __ATOMIC_RELAXED);
  }

  std::uint64_t owner_ = 0;  // process << 32 | thread
};

}  // namespace gprof_runtime
