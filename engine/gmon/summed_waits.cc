#include "engine/gmon/summed_waits.h"

#include <algorithm>

#include "engine/gmon/sidecar_parts.h"
#include "engine/support/saturating.h"

namespace gprof {

std::uint32_t SummedWaits::add(const SidecarWait& wait) {
  const auto next = static_cast<std::uint32_t>(waits_.size());
  const auto [known, is_new] = places_.try_emplace({wait.stack, wait.kind, wait.function}, next);
  if (is_new) {
    waits_.push_back(wait);
    return next;
  }
  SidecarWait& sum = waits_[known->second];
  sum.times = saturating_add(sum.times, wait.times);
  sum.total = saturating_add(sum.total, wait.total);
  sum.longest = std::max(sum.longest, wait.longest);
  return known->second;
}

void SummedWaits::add(const SidecarHolder& holder) {
  const auto [known, is_new] = holders_.try_emplace({holder.wait, holder.holder}, holder);
  if (is_new) return;
  SidecarHolder& sum = known->second;
  sum.times = saturating_add(sum.times, holder.times);
  sum.time = saturating_add(sum.time, holder.time);
}

std::vector<std::uint32_t> SummedWaits::take(Sidecar& sum) {
  std::vector<std::uint32_t> stacks;
  sum.wait_stacks = put_in_order(stacks_.take(), stacks, is_stack_before);
  for (SidecarWait& wait : waits_) wait.stack = stacks[wait.stack];
  std::vector<std::uint32_t> places;
  sum.waits = put_in_order(std::move(waits_), places, comes_before);
  for (auto& [key, holder] : holders_) {
    holder.wait = places[holder.wait];
    holder.holder = stacks[holder.holder];
    sum.wait_holders.push_back(holder);
  }
  std::ranges::sort(sum.wait_holders, comes_before);
  *this = SummedWaits();
  return places;
}

}  // namespace gprof
