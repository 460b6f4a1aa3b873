#include "engine/gmon/sidecar_sum.h"

#include <algorithm>
#include <functional>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "engine/gmon/add_counts.h"
#include "engine/support/saturating.h"

namespace gprof {
namespace {

void add_count(std::uint64_t& total, std::uint64_t more) { total = saturating_add(total, more); }

// Sorts the entries, and merges those that compare equal.
template <typename Entry, typename Before>
void add_up_equal(std::vector<Entry>& entries, const Before& before) {
  std::ranges::stable_sort(entries, before);
  std::size_t kept = 0;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (kept != 0 && !before(entries[kept - 1], entries[i])) {
      add_counts(entries[kept - 1], entries[i]);
      continue;
    }
    if (kept != i) entries[kept] = std::move(entries[i]);
    ++kept;
  }
  entries.erase(entries.begin() + static_cast<std::ptrdiff_t>(kept), entries.end());
}

ModuleAddress renumbered(const ModuleAddress& place, const std::vector<std::uint32_t>& modules) {
  return {place.module < modules.size() ? modules[place.module] : no_module, place.address};
}

}  // namespace

void add_quality(SamplingQuality& total, const SamplingQuality& run) {
  add_count(total.covered_time, run.covered_time);
  add_count(total.sampling_time, run.sampling_time);
  add_count(total.excess_variance, run.excess_variance);
  add_count(total.tick_samples, run.tick_samples);
  // On one machine, it is the same in all runs that have one.
  total.tick_period = std::max(total.tick_period, run.tick_period);
}

Expected<void> SidecarSum::check(const Sidecar& sidecar, const std::string& path) const {
  if (runs_ == 0) return {};
  const auto mismatch = [&](std::string message) {
    return Error{ErrorCode::mismatch, std::move(message), path, std::nullopt};
  };
  if (sidecar.machine != sum_.machine) {
    return mismatch(
        fmt::format("a run on machine {} (e_machine) expected as before, {} found; only "
                    "profiles of one executable add up",
                    sum_.machine, sidecar.machine));
  }
  const std::uint32_t rate = sidecar.process.requested_rate;
  if (rate != sum_.process.requested_rate && rate != 0 && sum_.process.requested_rate != 0) {
    return mismatch(
        fmt::format("a run at {} samples a second expected as before, one at {} found; "
                    "record all runs at one rate (--rate)",
                    sum_.process.requested_rate, rate));
  }
  return {};
}

void SidecarSum::add_process(const Sidecar& sidecar) {
  const SidecarProcess& run = sidecar.process;
  SidecarProcess& total = sum_.process;
  if (runs_ == 0) {
    sum_.machine = sidecar.machine;
    total.start_time = run.start_time;
    total.ending = run.ending;
    total.exit_status = run.exit_status;
  } else if (total.ending != run.ending || total.exit_status != run.exit_status) {
    total.ending = Ending::unknown;
    total.exit_status = 0;
  }
  total.start_time = std::min(total.start_time, run.start_time);
  total.end_time = std::max(total.end_time, run.end_time);
  if (total.requested_rate == 0) total.requested_rate = run.requested_rate;
  if (total.sample_source == SampleSource::none) total.sample_source = run.sample_source;
  total.flags |= run.flags;
  add_count(total.cpu_time, run.cpu_time);
  add_count(total.signals, run.signals);
  add_count(total.samples, run.samples);
  add_count(total.calls, run.calls);
  add_count(total.lost_calls, run.lost_calls);
  add_count(total.lost_samples, run.lost_samples);
  add_count(total.lost_stacks, run.lost_stacks);
  add_quality(total.sampling, run.sampling);
  if (run.price_picoseconds != 0) {
    add_count(price_total_, run.price_picoseconds);
    ++priced_runs_;
  }
  if (sidecar.stacks.empty()) add_count(samples_without_stacks_, run.samples);
}

std::vector<std::uint32_t> SidecarSum::add_modules(const Sidecar& sidecar,
                                                   std::string_view profile_name) {
  std::vector<std::uint32_t> numbers;
  for (const SidecarModule& module : sidecar.modules) {
    const auto next = static_cast<std::uint32_t>(sum_.modules.size());
    const auto [known, is_new] =
        modules_.try_emplace({module.path, module.soname, module.build_id, module.text.low.value,
                              module.text.high.value},
                             next);
    numbers.push_back(known->second);
    if (is_new) {
      sum_.modules.push_back(module);
      sum_.modules.back().file.clear();
    }
    SidecarModule& summed = sum_.modules[known->second];
    summed.flags |= module.flags;
    if (module.file.starts_with(profile_name)) {
      summed.file = sum_name_ + module.file.substr(profile_name.size());
    }
  }
  return numbers;
}

std::vector<std::uint32_t> SidecarSum::add_names(const Sidecar& sidecar) {
  std::vector<std::uint32_t> numbers;
  for (const std::string& name : sidecar.names) {
    const auto next = static_cast<std::uint32_t>(names_.size() + 1);
    if (name.empty()) {
      numbers.push_back(0);
      continue;
    }
    const auto [known, is_new] = names_.try_emplace(name, next);
    if (is_new) sum_.names.push_back(name);
    numbers.push_back(known->second);
  }
  return numbers;
}

void SidecarSum::add_arcs(const Sidecar& sidecar, const std::vector<std::uint32_t>& modules) {
  const std::vector<std::uint32_t> names = add_names(sidecar);
  for (SidecarArc arc : sidecar.arcs) {
    arc.from = renumbered(arc.from, modules);
    arc.self = renumbered(arc.self, modules);
    arc.profiled_caller = renumbered(arc.profiled_caller, modules);
    arc.via = renumbered(arc.via, modules);
    arc.via_name = arc.via_name < names.size() ? names[arc.via_name] : 0;
    sum_.arcs.push_back(arc);
  }
  add_up_equal(sum_.arcs,
               [](const SidecarArc& a, const SidecarArc& b) { return compare_places(a, b) < 0; });
}

void SidecarSum::add_samples(const Sidecar& sidecar, const std::vector<std::uint32_t>& modules) {
  for (const SidecarSample& sample : sidecar.samples) {
    sum_.samples.push_back(
        {renumbered(sample.place, modules), sample.count, sample.excess_variance});
  }
  add_up_equal(sum_.samples,
               [](const SidecarSample& a, const SidecarSample& b) { return a.place < b.place; });
}

void SidecarSum::add_stacks(const Sidecar& sidecar, const std::vector<std::uint32_t>& modules) {
  for (const SidecarStack& stack : sidecar.stacks) {
    SidecarStack& added = sum_.stacks.emplace_back(stack);
    for (ModuleAddress& frame : added.frames) {
      if (!frame.is_mark()) frame = renumbered(frame, modules);
    }
  }
  add_up_equal(sum_.stacks, [](const SidecarStack& a, const SidecarStack& b) {
    return std::tie(a.frames, a.truncated) < std::tie(b.frames, b.truncated);
  });
}

Expected<void> SidecarSum::add(const Sidecar& sidecar, std::string_view profile_name,
                               const std::string& path) {
  TRY(check(sidecar, path));
  add_process(sidecar);
  const std::vector<std::uint32_t> modules = add_modules(sidecar, profile_name);
  add_arcs(sidecar, modules);
  add_samples(sidecar, modules);
  add_stacks(sidecar, modules);
  sum_.threads.insert(sum_.threads.end(), sidecar.threads.begin(), sidecar.threads.end());
  ++runs_;
  return {};
}

Sidecar SidecarSum::take() {
  Sidecar sum = std::move(sum_);
  // The stacks of some runs do not represent runs without any.
  if (!sum.stacks.empty()) add_count(sum.process.lost_stacks, samples_without_stacks_);
  if (priced_runs_ != 0) sum.process.price_picoseconds = price_total_ / priced_runs_;
  std::ranges::stable_sort(sum.stacks, std::greater(), &SidecarStack::count);
  *this = SidecarSum(std::move(sum_name_));
  return sum;
}

}  // namespace gprof
