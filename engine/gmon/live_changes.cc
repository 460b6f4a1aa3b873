#include "engine/gmon/live_changes.h"

#include <algorithm>
#include <array>

#include "engine/support/saturating.h"

namespace gprof {
namespace {

// What is counted, without the epoch: the counts of an arc carry over to the next epoch.
using Key = std::array<std::uint64_t, 5>;
struct Count {
  Key key{};
  std::uint64_t count = 0;
};

Count count_of(const LiveCall& call) {
  return {{call.from, call.self, call.is_via ? 1U : 0U, call.profiled_caller, call.via},
          call.count};
}
Count count_of(const LiveSample& sample) { return {{sample.address}, sample.count}; }
Count count_of(const LiveBlockCount& block) { return {{block.address}, block.count}; }

template <typename Entry>
std::vector<Count> counts_of(const std::vector<Entry>& entries) {
  std::vector<Count> counts;
  counts.reserve(entries.size());
  for (const Entry& entry : entries) counts.push_back(count_of(entry));
  std::sort(counts.begin(), counts.end(),
            [](const Count& a, const Count& b) { return a.key < b.key; });
  std::size_t kept = 0;
  for (const Count& count : counts) {
    if (kept > 0 && counts[kept - 1].key == count.key) {
      counts[kept - 1].count = saturating_add(counts[kept - 1].count, count.count);
    } else {
      counts[kept++] = count;
    }
  }
  counts.resize(kept);
  return counts;
}

template <typename Entry>
bool has_fallen(const std::vector<Entry>& now, const std::vector<Entry>& before) {
  const std::vector<Count> counts = counts_of(now);
  auto at = counts.begin();
  for (const Count& wanted : counts_of(before)) {
    if (wanted.count == 0) continue;
    at = std::lower_bound(at, counts.end(), wanted,
                          [](const Count& a, const Count& b) { return a.key < b.key; });
    if (at == counts.end() || at->key != wanted.key || at->count < wanted.count) return true;
  }
  return false;
}

// Every reading has its lists in the same order.
template <typename Entry>
bool same(const std::vector<Entry>& a, const std::vector<Entry>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Entry& x, const Entry& y) {
    const Count first = count_of(x);
    const Count second = count_of(y);
    return x.epoch == y.epoch && first.key == second.key && first.count == second.count;
  });
}

template <typename Entry>
std::uint64_t sum_of(const std::vector<Entry>& entries) {
  std::uint64_t all = 0;
  for (const Entry& entry : entries) all = saturating_add(all, entry.count);
  return all;
}

}  // namespace

bool same_counts(const LiveCounters& a, const LiveCounters& b) {
  return same(a.calls, b.calls) && same(a.samples, b.samples) &&
         same(a.block_counts, b.block_counts) && a.stacks.size() == b.stacks.size() &&
         sum_of(a.stacks) == sum_of(b.stacks) && a.waits.size() == b.waits.size() &&
         sum_of(a.waits) == sum_of(b.waits);
}

bool shows_less(const LiveCounters& now, const LiveCounters& before) {
  return sum_of(now.stacks) < sum_of(before.stacks) || sum_of(now.waits) < sum_of(before.waits) ||
         has_fallen(now.calls, before.calls) || has_fallen(now.samples, before.samples) ||
         has_fallen(now.block_counts, before.block_counts);
}

}  // namespace gprof
