#include "engine/analysis/wait_index.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "engine/support/saturating.h"

namespace gprof {

void WaitTime::add(const WaitTime& other) {
  time = saturating_add(time, other.time);
  times = saturating_add(times, other.times);
  longest = std::max(longest, other.longest);
}

WaitTime WaitTimes::all() const {
  WaitTime sum;
  for (const WaitTime& kind : kinds) sum.add(kind);
  return sum;
}

WaitKind WaitTimes::greatest() const {
  const auto found = std::ranges::max_element(kinds, {}, &WaitTime::time);
  return wait_kind_at(static_cast<std::size_t>(found - kinds.begin()));
}

void WaitTimes::add(const WaitTimes& other) {
  for (std::size_t i = 0; i < kinds.size(); ++i) kinds[i].add(other.kinds[i]);
}

void WaitIndex::add(Wait wait) {
  const auto number = static_cast<std::uint32_t>(waits_.size());
  for (std::size_t i = 0; i < wait.places.size(); ++i) {
    places_.push_back({wait.places[i], number, i == 0});
  }
  busy_.kinds[place_of(wait.kind)].add(wait.busy);
  idle_.kinds[place_of(wait.kind)].add(wait.idle);
  waits_.push_back(std::move(wait));
}

void WaitIndex::finish() { std::ranges::stable_sort(places_, {}, &Place::address); }

std::optional<WaitSummary> WaitIndex::summary(std::span<const AddressRange> ranges,
                                              bool innermost) const {
  std::vector<std::uint32_t> found;
  for (const AddressRange& range : ranges) {
    for (auto place = std::ranges::lower_bound(places_, range.low, {}, &Place::address);
         place != places_.end() && place->address < range.high; ++place) {
      if (place->innermost || !innermost) found.push_back(place->wait);
    }
  }
  if (found.empty()) return std::nullopt;
  std::ranges::sort(found);
  found.erase(std::unique(found.begin(), found.end()), found.end());
  WaitSummary sum;
  std::set<std::uint32_t> idle_threads;
  std::map<std::optional<Address>, LockHolder> holders;
  for (const std::uint32_t number : found) {
    const Wait& wait = waits_[number];
    sum.busy.kinds[place_of(wait.kind)].add(wait.busy);
    sum.idle.kinds[place_of(wait.kind)].add(wait.idle);
    idle_threads.insert(wait.idle_threads.begin(), wait.idle_threads.end());
    for (const LockHolder& holder : wait.holders) {
      LockHolder& known = holders[holder.place];
      known.place = holder.place;
      known.time = saturating_add(known.time, holder.time);
      known.times = saturating_add(known.times, holder.times);
    }
  }
  sum.idle_threads = idle_threads.size();
  for (const auto& [place, holder] : holders) sum.holders.push_back(holder);
  std::ranges::stable_sort(sum.holders, std::ranges::greater(), &LockHolder::time);
  if (sum.holders.size() > WaitSummary::most_holders) sum.holders.resize(WaitSummary::most_holders);
  return sum;
}

}  // namespace gprof
