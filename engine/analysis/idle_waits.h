// Idle waiting: threads that wait for work, which is no time lost. A worker of a pool in its queue,
// an event loop in epoll_wait, a main thread that joins its workers.
//
// The rule. A thread is idle at a place where
//   - it spent at least nine tenths of all its waiting (for a CPU apart), and
//   - that is at least half of the time that its process ran, and
//   - it called one of the functions that wait until there is something to do: for a condition, a
//     semaphore or a message, for one of several events (poll, select, epoll_wait, accept,
//     io_uring_enter, signals), or for the end of another thread.
// What takes the time of a program that has to go on is never idle: a lock that another thread has,
// a barrier, reading and writing, sleeping, waiting for a child. Nor is a wait in a function whose
// name is not known.
//
// A place is that of the innermost frame in the program's own code, so that two pools that wait by
// way of the same library are two places; on a stack without such a frame it is the innermost one.
//
// Units: nanoseconds. Ownership: borrows nothing. Thread contract: immutable. Errors: none.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "engine/gmon/sidecar.h"

namespace gprof {

// Whether a function of that name waits until there is something to do.
[[nodiscard]] bool waits_for_work(std::string_view function);

// The place of a wait with that stack; `own_modules`: which of the sidecar's modules the program
// is. An address in its call instruction.
[[nodiscard]] ModuleAddress waiting_place(const SidecarStack& stack,
                                          const std::vector<bool>& own_modules);

class IdleWaits {
 public:
  // Of no thread.
  IdleWaits() = default;
  IdleWaits(const Sidecar& sidecar, const std::vector<bool>& own_modules);

  // Whether the part is of an idle thread, at the place where it is idle.
  [[nodiscard]] bool has(const SidecarPart& part) const {
    return part.thread < place_of_thread_.size() && part.whole < place_of_wait_.size() &&
           place_of_thread_[part.thread] != none &&
           place_of_thread_[part.thread] == place_of_wait_[part.whole];
  }
  [[nodiscard]] bool empty() const { return threads_ == 0; }

 private:
  static constexpr std::uint32_t none = 0xffffffff;

  std::vector<std::uint32_t> place_of_wait_;    // none: it waits for no work
  std::vector<std::uint32_t> place_of_thread_;  // none: it is not idle
  std::size_t threads_ = 0;                     // that are idle
};

}  // namespace gprof
