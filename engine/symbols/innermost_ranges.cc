#include "engine/symbols/innermost_ranges.h"

#include <algorithm>
#include <queue>

namespace gprof {
namespace {

struct Contender {
  NamedRange named;
  std::size_t position = 0;  // in the order given
};

struct Loses {
  bool operator()(const Contender& a, const Contender& b) const {
    const std::uint64_t a_size = a.named.range.size();
    const std::uint64_t b_size = b.named.range.size();
    if (a_size != b_size) return a_size > b_size;
    return a.position < b.position;
  }
};

void append(std::vector<NamedRange>& result, NamedRange part) {
  if (part.range.empty()) return;
  if (!result.empty() && result.back().index == part.index &&
      result.back().range.high == part.range.low) {
    result.back().range.high = part.range.high;
  } else {
    result.push_back(part);
  }
}

// True for functions without inlined calls in unit order.
bool are_disjoint(const std::vector<NamedRange>& ranges) {
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    if (ranges[i].range.empty()) return false;
    if (i > 0 && ranges[i].range.low < ranges[i - 1].range.high) return false;
  }
  return true;
}

}  // namespace

std::vector<NamedRange> innermost_ranges(std::vector<NamedRange> ranges) {
  if (are_disjoint(ranges)) return ranges;
  std::vector<Contender> starts;
  starts.reserve(ranges.size());
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    if (!ranges[i].range.empty()) starts.push_back({ranges[i], i});
  }
  std::ranges::stable_sort(starts, {}, [](const Contender& c) { return c.named.range.low; });
  std::vector<NamedRange> result;
  // Ended ranges stay in the queue until they reach the top.
  std::priority_queue<Contender, std::vector<Contender>, Loses> open;
  Address at;
  const auto run_to = [&](Address end) {
    while (!open.empty() && at < end) {
      const NamedRange& best = open.top().named;
      const Address stop = std::min(end, best.range.high);
      if (at < stop) {
        append(result, {{at, stop}, best.index});
        at = stop;
      }
      if (best.range.high <= at) open.pop();
    }
    at = end;
  };
  for (const Contender& start : starts) {
    run_to(start.named.range.low);
    open.push(start);
  }
  run_to({~std::uint64_t{0}});
  return result;
}

}  // namespace gprof
