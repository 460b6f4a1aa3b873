#include "engine/cpu_waits.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "engine/support/saturating.h"

namespace gprof {
namespace {

// A slice without samples is spread over so many of the thread's.
constexpr int pieces_of_slice = 8;

// The offset in [0, 1) at which the pieces of a slice begin. It depends on thread and slice alone,
// so every selection gets the same pieces; multiples of these two numbers are spread evenly over
// [0, 1).
double offset_of(std::uint32_t thread, std::uint32_t slice) {
  constexpr double golden_part = 0.6180339887498949;
  constexpr double plastic_part = 0.7548776662466927;
  return std::fmod(slice * golden_part + thread * plastic_part, 1.0);
}

std::uint64_t part_of_time(std::uint64_t time, double share) {
  const double product = std::floor(static_cast<double>(time) * share);
  return product < static_cast<double>(time) ? static_cast<std::uint64_t>(product) : time;
}

}  // namespace

void CpuWaitTimes::add(const SidecarPart& part) {
  std::uint64_t& time = times_[{part.thread, part.slice}];
  time = saturating_add(time, part.count);
}

CpuWaitShares::CpuWaitShares(const std::vector<SidecarPart>& parts) {
  for (const SidecarPart& part : parts) {
    if (part.count == 0 || part.thread == no_thread) continue;
    append(of_threads_[part.thread], part);
    if (part.slice != no_slice) append(of_slices_[{part.thread, part.slice}], part);
  }
}

void CpuWaitShares::append(Weights& weights, const SidecarPart& part) {
  const std::uint64_t before = weights.empty() ? 0 : weights.back().up_to;
  weights.push_back({part.whole, saturating_add(before, part.count)});
}

const CpuWaitShares::Weight& CpuWaitShares::at(const Weights& weights, double share) {
  const double wanted = share * static_cast<double>(weights.back().up_to);
  const auto found = std::ranges::partition_point(
      weights, [&](const Weight& weight) { return static_cast<double>(weight.up_to) <= wanted; });
  return found == weights.end() ? weights.back() : *found;
}

void CpuWaitShares::share_out(const CpuWaitTimes& times, const Visit& visit) const {
  for (const auto& [key, time] : times.times()) {
    const std::uint32_t thread = key.first;
    const std::uint32_t slice = key.second;
    const auto give = [&](std::uint32_t whole, std::uint64_t share) {
      if (share != 0) visit({whole, thread, slice, share});
    };
    std::uint64_t given = 0;
    if (const auto own = of_slices_.find(key); own != of_slices_.end()) {
      const auto all = static_cast<double>(own->second.back().up_to);
      for (const Weight& weight : own->second) {
        const std::uint64_t up_to = part_of_time(time, static_cast<double>(weight.up_to) / all);
        give(weight.whole, up_to - given);
        given = up_to;
      }
      continue;
    }
    const auto all = of_threads_.find(thread);
    if (all == of_threads_.end()) {
      give(nowhere, time);
      continue;
    }
    const double offset = offset_of(thread, slice);
    for (int i = 0; i < pieces_of_slice; ++i) {
      const std::uint64_t up_to = part_of_time(time, static_cast<double>(i + 1) / pieces_of_slice);
      give(at(all->second, (i + offset) / pieces_of_slice).whole, up_to - given);
      given = up_to;
    }
  }
}

}  // namespace gprof
