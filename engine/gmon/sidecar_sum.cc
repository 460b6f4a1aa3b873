#include "engine/gmon/sidecar_sum.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "engine/gmon/add_counts.h"
#include "engine/gmon/sidecar_parts.h"
#include "engine/support/saturating.h"

namespace gprof {
namespace {

void add_count(std::uint64_t& total, std::uint64_t more) { total = saturating_add(total, more); }

// The parts in the order of the format, those of the same thread and slice added up.
std::vector<SidecarPart> finished_parts(std::vector<SummedPart> summed,
                                        const std::vector<std::uint32_t>& places,
                                        const std::vector<SummedRun>& runs,
                                        const SummedTime& time) {
  for (SummedPart& one : summed) {
    one.part.whole = places[one.part.whole];
    one.part.slice = slice_in_sum(one.part.slice, runs[one.run], time);
  }
  std::ranges::sort(summed, comes_before, &SummedPart::part);
  std::vector<SidecarPart> parts;
  for (const SummedPart& one : summed) {
    if (parts.empty() || comes_before(parts.back(), one.part)) {
      parts.push_back(one.part);
    } else {
      add_counts(parts.back(), one.part);
    }
  }
  return parts;
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
  // What one run does not say is not known of the sum.
  constexpr std::uint32_t of_every_run = process_flags::marks_kernel_time;
  const std::uint32_t common = runs_ == 0 ? run.flags : total.flags & run.flags;
  total.flags = ((total.flags | run.flags) & ~of_every_run) | (common & of_every_run);
  add_count(total.cpu_time, run.cpu_time);
  add_count(total.unsampled_time, run.unsampled_time);
  add_count(total.earlier_time, run.earlier_time);
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

void SidecarSum::add_parts(const std::vector<SidecarPart>& run,
                           const std::vector<std::uint32_t>& places,
                           std::vector<SummedPart>& parts) const {
  const auto first_thread = static_cast<std::uint32_t>(sum_.threads.size());
  const auto number = static_cast<std::uint32_t>(run_times_.size());
  for (SidecarPart part : run) {
    if (part.whole >= places.size()) continue;
    part.whole = places[part.whole];
    if (part.thread != no_thread) part.thread += first_thread;
    parts.push_back({part, number});
  }
}

void SidecarSum::add_arcs(const Sidecar& sidecar, const std::vector<std::uint32_t>& modules,
                          const std::vector<std::uint32_t>& names) {
  std::vector<std::uint32_t> places;
  places.reserve(sidecar.arcs.size());
  for (SidecarArc arc : sidecar.arcs) {
    for (ModuleAddress* place : {&arc.from, &arc.self, &arc.profiled_caller, &arc.via}) {
      *place = renumbered(*place, modules);
    }
    arc.via_name = arc.via_name < names.size() ? names[arc.via_name] : 0;
    places.push_back(arcs_.add(arc));
  }
  add_parts(sidecar.arc_parts, places, arc_parts_);
}

void SidecarSum::add_samples(const Sidecar& sidecar, const std::vector<std::uint32_t>& modules) {
  std::vector<std::uint32_t> places;
  places.reserve(sidecar.samples.size());
  for (const SidecarSample& sample : sidecar.samples) {
    places.push_back(samples_.add({renumbered(sample.place, modules), sample.count,
                                   sample.excess_variance, sample.kernel_count}));
  }
  add_parts(sidecar.sample_parts, places, sample_parts_);
}

SidecarStack SidecarSum::renumbered_stack(SidecarStack stack,
                                          const std::vector<std::uint32_t>& modules) {
  for (ModuleAddress& frame : stack.frames) {
    if (!frame.is_mark()) frame = renumbered(frame, modules);
  }
  return stack;
}

void SidecarSum::add_stacks(const Sidecar& sidecar, const std::vector<std::uint32_t>& modules) {
  std::vector<std::uint32_t> places;
  places.reserve(sidecar.stacks.size());
  for (const SidecarStack& stack : sidecar.stacks) {
    places.push_back(stacks_.add(renumbered_stack(stack, modules)));
  }
  add_parts(sidecar.stack_parts, places, stack_parts_);
}

void SidecarSum::add_waits(const Sidecar& sidecar, const std::vector<std::uint32_t>& modules,
                           const std::vector<std::uint32_t>& names) {
  std::vector<std::uint32_t> stacks;
  stacks.reserve(sidecar.wait_stacks.size());
  for (const SidecarStack& stack : sidecar.wait_stacks) {
    stacks.push_back(waits_.add(renumbered_stack(stack, modules)));
  }
  std::vector<std::uint32_t> places;
  places.reserve(sidecar.waits.size());
  for (SidecarWait wait : sidecar.waits) {
    wait.stack = stacks[wait.stack];
    wait.function = wait.function < names.size() ? names[wait.function] : 0;
    places.push_back(waits_.add(wait));
  }
  for (SidecarHolder holder : sidecar.wait_holders) {
    holder.wait = places[holder.wait];
    holder.holder = stacks[holder.holder];
    waits_.add(holder);
  }
  add_parts(sidecar.wait_parts, places, wait_parts_);
}

void SidecarSum::add_crashes(const Sidecar& sidecar, const std::vector<std::uint32_t>& modules) {
  const auto first_thread = static_cast<std::uint32_t>(sum_.threads.size());
  for (SidecarCrash crash : sidecar.crashes) {
    if (sum_.crashes.size() == most_crashes) return;
    crash.stack = renumbered_stack(std::move(crash.stack), modules);
    if (crash.thread != no_thread) crash.thread += first_thread;
    sum_.crashes.push_back(std::move(crash));
  }
}

void SidecarSum::add_threads(const Sidecar& sidecar) {
  for (const SidecarThread& thread : sidecar.threads) {
    sum_.threads.push_back(thread);
    std::uint32_t& process = sum_.threads.back().process;
    if (process == 0) process = sidecar.process.process;
  }
}

Expected<void> SidecarSum::add(const Sidecar& sidecar, std::string_view profile_name,
                               const std::string& path) {
  TRY(check(sidecar, path));
  add_process(sidecar);
  const std::vector<std::uint32_t> modules = add_modules(sidecar, profile_name);
  const std::vector<std::uint32_t> names = add_names(sidecar);
  add_arcs(sidecar, modules, names);
  add_samples(sidecar, modules);
  add_stacks(sidecar, modules);
  add_waits(sidecar, modules, names);
  add_crashes(sidecar, modules);
  add_threads(sidecar);
  run_times_.push_back(run_time_of(sidecar));
  ++runs_;
  return {};
}

Sidecar SidecarSum::take() {
  Sidecar sum = std::move(sum_);
  const SummedTime time = lay_out(run_times_);
  sum.slice_width = time.slice_width;
  sum.slices = time.slices;
  std::vector<std::uint32_t> places;
  sum.arcs = put_in_order(arcs_.take(), places, [](const SidecarArc& a, const SidecarArc& b) {
    return compare_places(a, b) < 0;
  });
  sum.arc_parts = finished_parts(std::move(arc_parts_), places, run_times_, time);
  sum.samples = put_in_order(
      samples_.take(), places,
      [](const SidecarSample& a, const SidecarSample& b) { return a.place < b.place; });
  sum.sample_parts = finished_parts(std::move(sample_parts_), places, run_times_, time);
  sum.stacks = put_in_order(stacks_.take(), places, is_stack_before);
  sum.stack_parts = finished_parts(std::move(stack_parts_), places, run_times_, time);
  places = waits_.take(sum);
  sum.wait_parts = finished_parts(std::move(wait_parts_), places, run_times_, time);
  // The stacks of some runs do not represent runs without any.
  if (!sum.stacks.empty()) add_count(sum.process.lost_stacks, samples_without_stacks_);
  if (priced_runs_ != 0) sum.process.price_picoseconds = price_total_ / priced_runs_;
  *this = SidecarSum(std::move(sum_name_));
  return sum;
}

}  // namespace gprof
