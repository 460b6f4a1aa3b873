// The waits of threads, from records of when each was switched out and in: perf's
// `sched:sched_switch`, or what stands for it.
//
// A thread that the scheduler takes from its processor waits, unless it could have gone on: then it
// was preempted, which is no wait. It waits until it is switched in. Where a recording has no such
// record, as of one process alone, until it was woken up; else up to the next sign that it ran,
// which is the later the fewer there are.
//
// Records are told in any order, then finish() is called. Units: nanoseconds of the recording's
// clock. Ownership: owns its data. Thread contract: one thread. Errors: none; waits beyond the
// bound on parts have no slices.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "engine/import/perf_recording.h"
#include "engine/import/wait_cause.h"
#include "engine/metrics/wait_kinds.h"
#include "engine/profile/profile_builder.h"
#include "engine/support/hash_seed.h"

namespace gprof {

class ThreadWaits {
 public:
  // What is known of a thread at a time.
  enum class Sign : std::uint8_t { ran, woken, switched_in, ended };

  struct SwitchOut {
    std::uint32_t thread = 0;  // as the system numbers it
    std::uint32_t place = 0;   // as PerfRecording numbers it
    std::uint64_t time = 0;
    bool waits = false;
    WaitCause cause = {};
    Row stack = no_row;  // none: there was no room
  };
  void switch_out(const SwitchOut& out);
  void note(Sign sign, std::uint32_t thread, std::uint64_t time);

  // Events have a number of their own for a thread where it runs in a namespace of processes.
  void note_number(std::uint32_t number, std::uint32_t thread);
  void note_numbered(Sign sign, std::uint32_t number, std::uint64_t time);

  // `end`: of the recording, up to when those wait that are not switched in. `tells_ends`: whether
  // it says when threads end; else those may have whose switches in are not all known.
  void finish(const PerfTimeline& timeline, std::uint64_t end, bool tells_ends = true);

  // After finish().
  [[nodiscard]] bool empty() const { return waits_.empty(); }
  [[nodiscard]] std::uint64_t waits() const { return count_; }
  // Whose end is the next sign that the thread ran.
  [[nodiscard]] std::uint64_t guessed() const { return guessed_; }
  // What a user is told of those; none if they are few.
  [[nodiscard]] std::optional<std::string> message() const;
  // Adds the waits as costs (engine/profile/wait_metrics.h) to the profile that has their stacks.
  // Call it once. `threads`: their rows, by place. `stack_of_costs`: the stack that costs of one
  // belong to.
  void add_to(ProfileBuilder& builder, std::span<const Row> threads,
              const std::function<Row(Row)>& stack_of_costs);

 private:
  struct Out {
    Row stack = no_row;
    std::uint32_t place = 0;
    std::uint32_t function = 0;  // of names_
    WaitKind kind = WaitKind::other;
    bool waits = false;
  };
  struct Moment {
    std::uint64_t time = 0;
    std::uint32_t thread = 0;
    std::uint32_t what = 0;  // a number of outs_, or a sign: see thread_waits.cc
  };
  class Thread;
  // All waits with the same stack, kind and blocking function.
  struct Wait {
    Row stack = no_row;
    WaitKind kind = WaitKind::other;
    std::uint32_t function = 0;
    std::uint64_t longest = 0;
  };
  // The part of a Wait that belongs to one thread and slice.
  struct Part {
    std::uint32_t wait = 0;
    std::uint32_t place = 0;
    std::uint32_t slice = no_time_slice;
    std::uint32_t number = 0;  // of waits that end there
    std::uint64_t time = 0;
  };

  [[nodiscard]] std::uint32_t function_of(std::string_view name);
  void resolve_numbers();
  void add_wait(const Out& out, std::uint64_t begin, std::uint64_t end);
  void add_parts(std::uint32_t wait, std::uint32_t place, std::uint64_t begin, std::uint64_t end);

  std::vector<Out> outs_;
  std::vector<Moment> moments_;
  std::unordered_map<std::uint32_t, std::uint32_t, NumberHash> threads_by_number_;
  bool numbers_differ_ = false;
  std::vector<std::string> names_ = {""};
  std::map<std::string, std::uint32_t, std::less<>> name_places_;
  PerfTimeline timeline_;
  using WaitKey = std::tuple<Row, WaitKind, std::uint32_t>;  // stack, kind, function
  std::map<WaitKey, std::uint32_t> wait_places_;
  std::vector<Wait> waits_;
  std::vector<Part> parts_;
  std::uint64_t count_ = 0;
  std::uint64_t guessed_ = 0;
};

}  // namespace gprof
