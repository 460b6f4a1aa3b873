#include "engine/gmon/collected_waits.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "engine/gmon/add_counts.h"
#include "engine/gmon/collected_stacks.h"
#include "engine/gmon/sidecar_parts.h"
#include "engine/support/saturating.h"

namespace gprof {
namespace {

class WaitCollector {
 public:
  WaitCollector(const LiveCounters& live, LiveModules& modules, Sidecar& sidecar)
      : live_(live), modules_(modules), sidecar_(sidecar) {}

  void collect() {
    add_stacks();
    add_waits();
    name_functions();
    add_holders();
  }

 private:
  static constexpr std::uint32_t no_stack = 0xffffffff;

  void add_stacks();
  void add_waits();
  void add_part(const LiveWait& wait);
  void add_holders();
  void name_functions();
  std::uint32_t name_of(std::uint32_t function);

  const LiveCounters& live_;
  LiveModules& modules_;
  Sidecar& sidecar_;
  std::vector<std::uint32_t> stacks_;  // by number in the counters: its place in the sidecar
  std::map<std::string, std::uint32_t> names_;
};

void WaitCollector::add_stacks() {
  std::vector<std::uint32_t> kept;
  for (const LiveStack& stack : live_.wait_stacks) {
    SidecarStack resolved = resolved_without_collector(stack, modules_, sidecar_.modules);
    const bool is_empty = resolved.frames.empty();
    kept.push_back(is_empty ? no_stack : static_cast<std::uint32_t>(sidecar_.wait_stacks.size()));
    if (!is_empty) sidecar_.wait_stacks.push_back(std::move(resolved));
  }
  const std::vector<std::uint32_t> places = join_equal_stacks(sidecar_.wait_stacks);
  for (std::uint32_t& stack : kept) {
    if (stack != no_stack) stack = places[stack];
  }
  stacks_ = std::move(kept);
}

std::uint32_t WaitCollector::name_of(std::uint32_t function) {
  if (function >= live_.wait_functions.size()) return 0;
  const std::string& name = live_.wait_functions[function];
  const auto [known, is_new] =
      names_.try_emplace(name, static_cast<std::uint32_t>(sidecar_.names.size()));
  if (is_new) sidecar_.names.push_back(name);
  return known->second;
}

// The function is no part of the key: a call has one kind of wait, but a pointer may lead to
// several functions, of which the first one is named.
void WaitCollector::add_waits() {
  std::vector<LiveWait> waits = live_.waits;
  for (LiveWait& wait : waits) wait.stack = stacks_[wait.stack];
  std::erase_if(waits, [](const LiveWait& wait) { return wait.stack == no_stack; });
  const auto key = [](const LiveWait& wait) {
    return std::tie(wait.stack, wait.kind, wait.thread, wait.slice);
  };
  std::stable_sort(waits.begin(), waits.end(),
                   [&](const LiveWait& a, const LiveWait& b) { return key(a) < key(b); });
  std::vector<SidecarWait>& all = sidecar_.waits;
  for (const LiveWait& wait : waits) {
    const bool is_new =
        all.empty() || all.back().stack != wait.stack || all.back().kind != wait.kind;
    if (is_new) {
      all.push_back({wait.stack, wait.kind, 0, 0, 0, wait.function});
    }
    SidecarWait& sum = all.back();
    sum.times = saturating_add(sum.times, wait.times);
    sum.total = saturating_add(sum.total, wait.count);
    sum.longest = std::max(sum.longest, wait.longest);
    if (wait.thread != no_thread || wait.slice != no_slice) add_part(wait);
  }
}

// Until now waits have their numbers in the counters. The names are in that order.
void WaitCollector::name_functions() {
  for (std::uint32_t i = 0; i < sidecar_.names.size(); ++i) names_.emplace(sidecar_.names[i], i);
  std::map<std::uint32_t, std::uint32_t> names;
  for (const SidecarWait& wait : sidecar_.waits) names.emplace(wait.function, 0);
  for (auto& [function, name] : names) name = name_of(function);
  for (SidecarWait& wait : sidecar_.waits) wait.function = names.at(wait.function);
}

void WaitCollector::add_part(const LiveWait& wait) {
  std::vector<SidecarPart>& all = sidecar_.wait_parts;
  const SidecarPart part{static_cast<std::uint32_t>(sidecar_.waits.size() - 1), wait.thread,
                         wait.slice, wait.count, wait.times};
  if (all.empty() || comes_before(all.back(), part)) {
    all.push_back(part);
  } else {
    add_counts(all.back(), part);
  }
}

void WaitCollector::add_holders() {
  const std::vector<SidecarWait>& waits = sidecar_.waits;
  std::vector<SidecarHolder> holders;
  for (const LiveHolder& one : live_.wait_holders) {
    const std::uint32_t stack = stacks_[one.stack];
    const std::uint32_t holder = stacks_[one.holder];
    const auto found = std::lower_bound(waits.begin(), waits.end(), std::tie(stack, one.kind),
                                        [](const SidecarWait& wait, const auto& key) {
                                          return std::tie(wait.stack, wait.kind) < key;
                                        });
    const bool is_known = found != waits.end() && found->stack == stack && found->kind == one.kind;
    if (!is_known || holder == no_stack) continue;
    holders.push_back(
        {static_cast<std::uint32_t>(found - waits.begin()), holder, one.times, one.count});
  }
  std::sort(holders.begin(), holders.end(), comes_before);
  for (const SidecarHolder& holder : holders) {
    std::vector<SidecarHolder>& all = sidecar_.wait_holders;
    if (all.empty() || comes_before(all.back(), holder)) {
      all.push_back(holder);
    } else {
      all.back().times = saturating_add(all.back().times, holder.times);
      all.back().time = saturating_add(all.back().time, holder.time);
    }
  }
}

}  // namespace

void collect_waits(const LiveCounters& live, LiveModules& modules, Sidecar& sidecar) {
  if (!live.waits.empty()) WaitCollector(live, modules, sidecar).collect();
}

}  // namespace gprof
