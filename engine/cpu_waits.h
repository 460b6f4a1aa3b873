// Attributes the time that threads waited for a CPU. The kernel reports it by thread and time, not
// by place: a runnable thread may be preempted between any two instructions. The time is therefore
// shared out in proportion to the thread's samples in the same slice or, if it has none there, to
// all of its samples. By line this is an estimate; by thread and slice it is exact.
//
// The time of a thread without samples has no place.
//
// Units: nanoseconds. Ownership: borrows nothing. Thread contract: immutable once made. The work is
// bounded by the number of parts, whatever a file says.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <utility>
#include <vector>

#include "engine/gmon/sidecar.h"

namespace gprof {

// The time that threads waited for a CPU, by thread and slice.
class CpuWaitTimes {
 public:
  using Key = std::pair<std::uint32_t, std::uint32_t>;
  void add(const SidecarPart& part);
  [[nodiscard]] const std::map<Key, std::uint64_t>& times() const { return times_; }

 private:
  std::map<Key, std::uint64_t> times_;
};

class CpuWaitShares {
 public:
  // `parts`: of the samples, or of the stacks.
  explicit CpuWaitShares(const std::vector<SidecarPart>& parts);

  // Visits the shares, which add up to the times: `whole` says which sample or stack has it, and is
  // `nowhere` if the thread has none.
  static constexpr std::uint32_t nowhere = 0xffffffff;
  using Visit = std::function<void(const SidecarPart& share)>;
  void share_out(const CpuWaitTimes& times, const Visit& visit) const;

 private:
  struct Weight {
    std::uint32_t whole;
    std::uint64_t up_to;  // the sum of the weights up to this one
  };
  using Weights = std::vector<Weight>;

  static void append(Weights& weights, const SidecarPart& part);
  [[nodiscard]] static const Weight& at(const Weights& weights, double share);

  std::map<CpuWaitTimes::Key, Weights> of_slices_;
  std::map<std::uint32_t, Weights> of_threads_;
};

}  // namespace gprof
