// Lets one thread at a time enlarge the live file, while the others wait for what it adds.
//
// Nothing depends on the turn for its correctness: two threads that grow at once waste space, no
// more. So whoever waits can give up waiting. A thread that is stopped by a debugger, a forked
// child whose parent's other thread had the turn, a handler that interrupted its owner, and a
// program that has forbidden itself to wait: all of them go on.
//
// Thread contract: any thread, any signal handler; zero-filled memory is a free turn.
#pragma once

#include <cstdint>

#include <linux/futex.h>

#include "runtime/system/syscalls.h"

namespace gprof_runtime::live {

enum class Turn : std::uint8_t {
  own,      // the caller grows, and then calls leave()
  changed,  // another thread had the turn and has left it: look at what it added
};

class GrowthTurn {
 public:
  // `wanted`: bytes that the caller needs, which whoever has the turn adds for it.
  Turn enter(std::uint64_t wanted) {
    const std::uint64_t self = caller();
    std::uint64_t owner = 0;
    if (replace(&owner, self)) return Turn::own;
    const bool is_left_over = owner >> 32U != self >> 32U;
    if (owner == self || is_left_over) {
      __atomic_store_n(&owner_, self, __ATOMIC_RELEASE);
      return Turn::own;
    }
    __atomic_fetch_add(&wanted_, wanted, __ATOMIC_SEQ_CST);
    const bool changed = wait_for_change(owner);
    __atomic_fetch_sub(&wanted_, wanted, __ATOMIC_SEQ_CST);
    if (changed || !replace(&owner, self)) return Turn::changed;
    __atomic_fetch_add(&taken_away_, 1, __ATOMIC_RELAXED);
    return Turn::own;
  }

  bool is_free() const { return __atomic_load_n(&owner_, __ATOMIC_RELAXED) == 0; }

  // Takes the turn if it is free, without waiting. False if another thread has it.
  bool try_enter() {
    std::uint64_t owner = 0;
    return replace(&owner, caller());
  }

  void leave() {
    std::uint64_t self = caller();
    // Unless it was taken away from the caller, which took too long.
    replace(&self, 0);
    if (wanted() == 0) return;
    constexpr long everybody = 0x7fffffff;
    sys::call(__NR_futex, sys::word(&owner_), FUTEX_WAKE_PRIVATE, everybody);
  }

  // Bytes that the waiting threads need together.
  std::uint64_t wanted() const { return __atomic_load_n(&wanted_, __ATOMIC_SEQ_CST); }
  // How often a thread lost patience and took the turn of another one.
  std::uint32_t taken_away() const { return __atomic_load_n(&taken_away_, __ATOMIC_RELAXED); }

 private:
  // The process, which tells a forked child that the owner is none of its threads, and the thread.
  static std::uint64_t caller() {
    const auto process = static_cast<std::uint32_t>(sys::call(__NR_getpid));
    return std::uint64_t{process} << 32U | static_cast<std::uint32_t>(sys::call(__NR_gettid));
  }

  bool replace(std::uint64_t* expected, std::uint64_t desired) {
    return __atomic_compare_exchange_n(&owner_, expected, desired, false, __ATOMIC_ACQ_REL,
                                       __ATOMIC_ACQUIRE);
  }

  // False if the owner still has the turn when patience is exhausted: a second, unless waiting is
  // impossible.
  bool wait_for_change(std::uint64_t owner) {
    // leave() wakes everybody: the time only passes if the owner is stopped.
    constexpr int patience = 4;
    struct {
      std::int64_t seconds;
      std::int64_t nanoseconds;
    } const moment = {0, 250'000'000};
    constexpr sys::Result timed_out = -110;
    constexpr sys::Result has_changed = -11;
    constexpr sys::Result interrupted = -4;
    for (int i = 0; i < patience; ++i) {
      // The kernel compares the lower half, the thread.
      const sys::Result result =
          sys::call(__NR_futex, sys::word(&owner_), FUTEX_WAIT_PRIVATE,
                    static_cast<long>(static_cast<std::uint32_t>(owner)), sys::word(&moment));
      if (__atomic_load_n(&owner_, __ATOMIC_ACQUIRE) != owner) return true;
      const bool waited = !sys::failed(result) || result == timed_out || result == has_changed ||
                          result == interrupted;
      if (!waited) sys::call(__NR_sched_yield);
    }
    return false;
  }

  std::uint64_t owner_;  // process << 32 | thread, 0: nobody
  std::uint64_t wanted_;
  std::uint32_t taken_away_;
};

}  // namespace gprof_runtime::live
