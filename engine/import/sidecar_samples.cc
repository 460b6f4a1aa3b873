#include "engine/import/sidecar_samples.h"

#include <algorithm>
#include <numeric>
#include <span>
#include <utility>

#include "engine/gmon/sidecar_parts.h"
#include "engine/support/saturating.h"

namespace gprof {
namespace {

bool is_before(const SidecarPart& a, const SidecarPart& b) {
  return std::tie(a.thread, a.slice) < std::tie(b.thread, b.slice);
}

// Appends the used stacks to `list` in descending order of their counts. Returns their indices
// there, by stack.
std::vector<std::uint32_t> add_stacks(std::vector<SidecarStack>& list,
                                      const std::vector<std::uint64_t>& counts,
                                      const std::vector<bool>& is_used, const StackTable& table,
                                      const std::vector<bool>& truncated) {
  std::vector<std::uint32_t> order;
  for (std::uint32_t stack = 0; stack < table.size(); ++stack) {
    if (is_used[stack]) order.push_back(stack);
  }
  std::ranges::sort(order, [&](std::uint32_t a, std::uint32_t b) {
    return counts[a] != counts[b] ? counts[a] > counts[b]
                                  : std::ranges::lexicographical_compare(table[a], table[b]);
  });
  std::vector<std::uint32_t> ranks(table.size());
  for (const std::uint32_t stack : order) {
    ranks[stack] = static_cast<std::uint32_t>(list.size());
    const auto frames = table[stack];
    list.push_back({counts[stack], truncated[stack], {frames.begin(), frames.end()}});
  }
  return ranks;
}

}  // namespace

// Most wholes have few parts, and most of these are in order already.
void join_parts(std::vector<SidecarPart>& parts, std::size_t wholes) {
  std::vector<std::size_t> ends(wholes + 1);
  for (const SidecarPart& part : parts) ++ends[part.whole + 1];
  std::partial_sum(ends.begin(), ends.end(), ends.begin());
  std::vector<SidecarPart> ordered(parts.size());
  for (const SidecarPart& part : parts) ordered[ends[part.whole]++] = part;
  parts.clear();
  for (std::size_t begin = 0; begin < ordered.size();) {
    const std::size_t end = ends[ordered[begin].whole];
    const std::span group = std::span(ordered).subspan(begin, end - begin);
    if (!std::ranges::is_sorted(group, is_before)) std::ranges::sort(group, is_before);
    for (std::size_t i = 0; i < group.size(); ++i) {
      if (i > 0 && !is_before(group[i - 1], group[i])) {
        SidecarPart& same = parts.back();
        same.count = saturating_add(same.count, group[i].count);
        same.excess_variance = saturating_add(same.excess_variance, group[i].excess_variance);
      } else {
        parts.push_back(group[i]);
      }
    }
    begin = end;
  }
}

void set_samples(Sidecar& sidecar, const std::vector<SidecarPart>& of_stacks,
                 const std::vector<ModuleAddress>& places) {
  // Other metrics may have stacks that this one has no sample of.
  std::vector<bool> is_sampled(places.size());
  for (const SidecarPart& part : of_stacks) is_sampled[part.whole] = true;
  std::vector<ModuleAddress> ascending;
  for (std::size_t stack = 0; stack < places.size(); ++stack) {
    if (is_sampled[stack]) ascending.push_back(places[stack]);
  }
  std::ranges::sort(ascending);
  ascending.erase(std::unique(ascending.begin(), ascending.end()), ascending.end());
  for (const ModuleAddress& place : ascending) sidecar.samples.push_back({place, 0, 0});
  std::vector<std::uint32_t> ranks(places.size());
  for (std::size_t stack = 0; stack < places.size(); ++stack) {
    const auto found = std::ranges::lower_bound(ascending, places[stack]);
    ranks[stack] = static_cast<std::uint32_t>(found - ascending.begin());
  }
  sidecar.sample_parts = of_stacks;
  for (SidecarPart& part : sidecar.sample_parts) {
    part.whole = ranks[part.whole];
    SidecarSample& sample = sidecar.samples[part.whole];
    sample.count = saturating_add(sample.count, part.count);
    sample.excess_variance = saturating_add(sample.excess_variance, part.excess_variance);
  }
  join_parts(sidecar.sample_parts, sidecar.samples.size());
}

void set_stacks(Sidecar& sidecar, std::vector<SidecarPart> parts, const StackTable& table,
                const std::vector<bool>& truncated) {
  std::vector<std::uint64_t> counts(table.size());
  std::vector<bool> is_sampled(table.size());
  for (const SidecarPart& part : parts) {
    counts[part.whole] = saturating_add(counts[part.whole], part.count);
    is_sampled[part.whole] = true;
  }
  const auto ranks = add_stacks(sidecar.stacks, counts, is_sampled, table, truncated);
  for (SidecarPart& part : parts) part.whole = ranks[part.whole];
  join_parts(parts, sidecar.stacks.size());
  sidecar.stack_parts = std::move(parts);
  sidecar.process.flags = process_flags::with_stacks;
}

void WaitList::add(const WaitMetric& metric, std::uint32_t stack, std::uint32_t thread,
                   std::uint32_t slice, std::uint64_t amount) {
  auto name = name_numbers_.find(metric.function);
  if (name == name_numbers_.end()) {
    name = name_numbers_.emplace(metric.function, static_cast<std::uint32_t>(names_.size())).first;
    names_.emplace_back(metric.function);
  }
  const auto next = static_cast<std::uint32_t>(waits_.size());
  const auto [number, is_new] = wait_numbers_.try_emplace({stack, metric.kind, name->second}, next);
  if (is_new) {
    waits_.push_back({.stack = stack, .kind = metric.kind, .function = name->second});
  }
  SidecarWait& wait = waits_[number->second];
  // In a part of a wait, excess_variance holds the number of waits.
  SidecarPart part = {.whole = number->second, .thread = thread, .slice = slice};
  switch (metric.figure) {
    case WaitFigure::time:
      wait.total = saturating_add(wait.total, amount);
      part.count = amount;
      break;
    case WaitFigure::number:
      wait.times = saturating_add(wait.times, amount);
      part.excess_variance = amount;
      break;
    case WaitFigure::longest:
      wait.longest = std::max(wait.longest, amount);
      return;
  }
  parts_.push_back(part);
}

void WaitList::give_to(Sidecar& sidecar, const StackTable& table,
                       const std::vector<bool>& truncated) {
  std::vector<std::uint64_t> times(table.size());
  std::vector<bool> has_waits(table.size());
  for (const SidecarWait& wait : waits_) {
    times[wait.stack] = saturating_add(times[wait.stack], wait.total);
    has_waits[wait.stack] = times[wait.stack] > 0;
  }
  const auto ranks = add_stacks(sidecar.wait_stacks, times, has_waits, table, truncated);
  // If memory was short, the times of some waits were left out, and only their number is known.
  const auto has_time = [&](std::uint32_t wait) { return waits_[wait].total > 0; };
  std::erase_if(parts_, [&](const SidecarPart& part) { return !has_time(part.whole); });
  std::vector<std::uint32_t> order(waits_.size());
  std::iota(order.begin(), order.end(), 0U);
  std::erase_if(order, [&](std::uint32_t wait) { return !has_time(wait); });
  for (SidecarWait& wait : waits_) wait.stack = ranks[wait.stack];
  std::ranges::stable_sort(
      order, [&](std::uint32_t a, std::uint32_t b) { return comes_before(waits_[a], waits_[b]); });
  std::vector<std::uint32_t> places(waits_.size());
  for (const std::uint32_t wait : order) {
    places[wait] = static_cast<std::uint32_t>(sidecar.waits.size());
    sidecar.waits.push_back(waits_[wait]);
  }
  for (SidecarPart& part : parts_) part.whole = places[part.whole];
  join_parts(parts_, sidecar.waits.size());
  sidecar.wait_parts = std::move(parts_);
  sidecar.names = std::move(names_);
}

void add_up_samples(Sidecar& sidecar) {
  SidecarProcess& process = sidecar.process;
  for (const SidecarPart& part : sidecar.sample_parts) {
    process.samples = saturating_add(process.samples, part.count);
    process.sampling.excess_variance =
        saturating_add(process.sampling.excess_variance, part.excess_variance);
    if (part.thread >= sidecar.threads.size()) continue;
    SidecarThread& thread = sidecar.threads[part.thread];
    thread.samples = saturating_add(thread.samples, part.count);
  }
  const auto& threads = sidecar.threads;
  const bool is_one =
      !threads.empty() && std::ranges::all_of(threads, [&](const SidecarThread& thread) {
        return thread.process == threads.front().process;
      });
  // 0: of several.
  if (is_one) process.process = threads.front().process;
}

void set_histograms(ImportedProfile& profile) {
  const Sidecar& sidecar = *profile.sidecar;
  std::map<Address, std::uint64_t> ticks;
  for (const SidecarSample& sample : sidecar.samples) {
    if (sample.place.module == 0) ticks[sample.place.address] = sample.count;
  }
  profile.raw.histograms = histograms_of(ticks);
  profile.raw.histogram_records = profile.raw.histograms.size();
  profile.own_modules.resize(sidecar.modules.size());
  profile.own_modules[0] = true;
}

}  // namespace gprof
