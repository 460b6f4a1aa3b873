#include "engine/narrowed_run.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "engine/gmon/collected_module.h"
#include "engine/import/imported_profile.h"
#include "engine/support/saturating.h"

namespace gprof {
namespace {

// The processes and threads of a selection, prepared for a lookup per thread.
class ChosenThreads {
 public:
  explicit ChosenThreads(const Selection& selection)
      : processes_(selection.processes.begin(), selection.processes.end()),
        threads_(selection.threads.begin(), selection.threads.end()),
        names_(selection.thread_names.begin(), selection.thread_names.end()) {}

  [[nodiscard]] bool has_process(std::uint32_t process) const {
    return processes_.empty() || processes_.contains(process);
  }
  // Whether it chooses among the threads of its processes.
  [[nodiscard]] bool is_of_threads() const { return !threads_.empty() || !names_.empty(); }
  [[nodiscard]] bool has(const SidecarThread& thread, std::uint32_t process) const {
    if (!has_process(process)) return false;
    return !is_of_threads() || threads_.contains(thread.thread) ||
           (!thread.name.empty() && names_.contains(thread.name));
  }

 private:
  std::set<std::uint32_t> processes_;
  std::set<std::uint32_t> threads_;
  std::set<std::string_view> names_;
};

// The first slice that begins at the time or after it.
std::uint64_t slice_from(Seconds time, std::uint64_t slice_width) {
  if (!(time > 0)) return 0;
  const double slices = std::ceil(time * nanoseconds_a_second / static_cast<double>(slice_width));
  constexpr double most = 1e15;
  return static_cast<std::uint64_t>(std::min(slices, most));
}

void take_samples(Sidecar& result, const Sidecar& sidecar, const RunPart& part) {
  std::vector<SidecarSample> chosen(sidecar.samples.size());
  for (const SidecarPart& sample : sidecar.sample_parts) {
    if (sample.whole >= chosen.size() || !part.has(sample)) continue;
    SidecarSample& sum = chosen[sample.whole];
    sum.count = saturating_add(sum.count, sample.count);
    sum.excess_variance = saturating_add(sum.excess_variance, sample.excess_variance);
    sum.kernel_count = saturating_add(sum.kernel_count, sample.kernel_count);
  }
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    if (chosen[i].count == 0) continue;
    chosen[i].place = sidecar.samples[i].place;
    result.samples.push_back(chosen[i]);
  }
}

std::vector<std::uint64_t> chosen_stacks(const Sidecar& sidecar, const RunPart& part) {
  std::vector<std::uint64_t> weights(sidecar.stacks.size());
  for (const SidecarPart& stack : sidecar.stack_parts) {
    if (stack.whole >= weights.size() || !part.has(stack)) continue;
    weights[stack.whole] = saturating_add(weights[stack.whole], stack.count);
  }
  return weights;
}

void take_stacks(Sidecar& result, const Sidecar& sidecar,
                 const std::vector<std::uint64_t>& weights) {
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (weights[i] == 0) continue;
    result.stacks.push_back(sidecar.stacks[i]);
    result.stacks.back().count = weights[i];
  }
}

void take_arcs(Sidecar& result, const Sidecar& sidecar, const RunPart& part) {
  if (!part.has_calls()) return;
  std::vector<std::uint64_t> counts(sidecar.arcs.size());
  for (const SidecarPart& calls : sidecar.arc_parts) {
    if (calls.whole >= counts.size() || !part.has_thread(calls.thread)) continue;
    counts[calls.whole] = saturating_add(counts[calls.whole], calls.count);
  }
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] == 0) continue;
    result.arcs.push_back(sidecar.arcs[i]);
    result.arcs.back().count = counts[i];
  }
}

template <typename List>
std::uint64_t sum_of(const List& list) {
  std::uint64_t sum = 0;
  for (const auto& entry : list) sum = saturating_add(sum, entry.count);
  return sum;
}

std::uint64_t part_of(std::uint64_t whole, double share) {
  return static_cast<std::uint64_t>(std::llround(static_cast<double>(whole) * share));
}

// What is not known of threads and slices is taken to be shared out as the samples are.
void describe_process(Sidecar& result, const std::vector<std::uint64_t>& weights) {
  SidecarProcess& process = result.process;
  const std::uint64_t samples = sum_of(result.samples);
  std::uint64_t with_stack = 0;
  for (const std::uint64_t weight : weights) with_stack = saturating_add(with_stack, weight);
  const double share =
      process.samples != 0
          ? std::min(1.0, static_cast<double>(samples) / static_cast<double>(process.samples))
          : 0;
  process.samples = samples;
  process.signals = part_of(process.signals, share);
  process.cpu_time = part_of(process.cpu_time, share);
  process.lost_samples = part_of(process.lost_samples, share);
  process.lost_stacks = weights.empty() || samples < with_stack ? 0 : samples - with_stack;
  process.sampling.covered_time = part_of(process.sampling.covered_time, share);
  process.sampling.sampling_time = part_of(process.sampling.sampling_time, share);
  process.sampling.tick_samples = part_of(process.sampling.tick_samples, share);
  process.sampling.excess_variance = 0;
  for (const SidecarSample& sample : result.samples) {
    process.sampling.excess_variance += sample.excess_variance;
  }
  process.calls = sum_of(result.arcs);
}

// Samples of the program's own code by place.
std::map<Address, std::uint64_t> own_samples(const Sidecar& sidecar,
                                             const std::vector<bool>& own_modules) {
  std::map<Address, std::uint64_t> ticks;
  for (const SidecarSample& sample : sidecar.samples) {
    const auto& [module, address] = sample.place;
    if (module >= own_modules.size() || !own_modules[module]) continue;
    ticks[address] = saturating_add(ticks[address], sample.count);
  }
  return ticks;
}

std::vector<RawArc> own_arcs(const Sidecar& sidecar, const std::vector<bool>& own_modules) {
  const ModuleContents contents(sidecar, {});
  Warnings ignored;
  std::vector<RawArc> arcs;
  for (std::uint32_t module = 0; module < sidecar.modules.size(); ++module) {
    if (module >= own_modules.size() || !own_modules[module]) continue;
    ModuleCode code;
    code.module = module;
    code.text = sidecar.modules[module].text;
    const RawProfile profile = make_module_profile(contents, code, ignored);
    arcs.insert(arcs.end(), profile.arcs.begin(), profile.arcs.end());
  }
  return arcs;
}

// Costs that were counted for each thread by itself.
void take_threads(ProfileFile& result, const std::vector<ImportedThread>& threads,
                  const RunPart& part) {
  std::map<Address, std::uint64_t> sums;
  for (std::uint32_t i = 0; i < threads.size(); ++i) {
    if (!part.has_thread(i)) continue;
    const ImportedThread& thread = threads[i];
    for (const auto& [address, ticks] : thread.ticks) {
      sums[address] = saturating_add(sums[address], ticks);
    }
    result.raw.arcs.insert(result.raw.arcs.end(), thread.arcs->begin(), thread.arcs->end());
    result.inclusive.add(thread.inclusive);
  }
  result.raw.histograms = histograms_of(sums);
  result.raw.external_ticks = result.inclusive.unnamed_external();
}

}  // namespace

RunPart::RunPart(const RecordedRun& run, const ProfileFile& file, const Selection& selection)
    : of_time_(selection.is_of_time()) {
  const ChosenThreads wanted(selection);
  if (!file.threads.empty()) {
    choose_counted(run, file, selection);
    return;
  }
  if (!file.sidecar || file.sidecar->threads.empty()) {
    SidecarThread thread;
    thread.thread = file.thread;
    all_ = !of_time_ && wanted.has(thread, run.process);
    return;
  }
  const Sidecar& sidecar = *file.sidecar;
  threads_.reserve(sidecar.threads.size());
  bool every = true;
  bool any = false;
  bool every_process = true;
  for (const SidecarThread& thread : sidecar.threads) {
    const std::uint32_t process = thread.process != 0 ? thread.process : run.process;
    const bool chosen = wanted.has(thread, process);
    threads_.push_back(chosen);
    every = every && chosen;
    any = any || chosen;
    every_process = every_process && wanted.has_process(process);
  }
  any_thread_ = every_process && !wanted.is_of_threads();
  all_ = every && any_thread_ && !of_time_;
  if (!any && !any_thread_) threads_.clear();
  if (of_time_) choose_slices(run.begin, sidecar.slice_width, selection);
}

// It is not known when they cost what they did.
void RunPart::choose_counted(const RecordedRun& run, const ProfileFile& file,
                             const Selection& selection) {
  if (of_time_) return;
  const ChosenThreads wanted(selection);
  for (const ImportedThread& counted : file.threads) {
    SidecarThread thread;
    thread.thread = counted.thread;
    threads_.push_back(wanted.has(thread, counted.process != 0 ? counted.process : run.process));
  }
  all_ = std::ranges::all_of(threads_, [](bool chosen) { return chosen; });
  if (std::ranges::none_of(threads_, [](bool chosen) { return chosen; })) threads_.clear();
}

void RunPart::choose_slices(Seconds begin, std::uint64_t width, const Selection& selection) {
  if (width == 0) return threads_.clear();
  first_slice_ = slice_from(selection.from.value_or(0) - begin, width);
  // A slice that is not known is none of them.
  end_slice_ = selection.to ? slice_from(*selection.to - begin, width) : no_slice;
}

NarrowedRun whole_run(const ProfileFile& file) {
  NarrowedRun run{file, {}};
  if (!file.sidecar) return run;
  for (const SidecarStack& stack : file.sidecar->stacks) run.stacks.push_back(stack.count);
  return run;
}

NarrowedRun narrowed(const ProfileFile& file, const RunPart& part, bool with_stacks) {
  NarrowedRun run;
  ProfileFile& result = run.file;
  result.metric = file.metric;
  result.process = file.process;
  result.thread = file.thread;
  result.modified = file.modified;
  result.from_c_library = file.from_c_library;
  result.own_modules = file.own_modules;
  result.raw = header_of(file.raw);
  take_threads(result, file.threads, part);
  if (!file.sidecar) return run;
  const Sidecar& sidecar = *file.sidecar;
  Sidecar& taken = result.sidecar.emplace();
  taken.machine = sidecar.machine;
  taken.process = sidecar.process;
  taken.modules = sidecar.modules;
  taken.names = sidecar.names;
  for (std::uint32_t i = 0; i < sidecar.threads.size(); ++i) {
    if (part.has_thread(i)) taken.threads.push_back(sidecar.threads[i]);
  }
  take_samples(taken, sidecar, part);
  run.stacks = chosen_stacks(sidecar, part);
  if (with_stacks) take_stacks(taken, sidecar, run.stacks);
  take_arcs(taken, sidecar, part);
  describe_process(taken, run.stacks);
  count_from_sidecar(result);
  return run;
}

void count_from_sidecar(ProfileFile& file) {
  file.raw.histograms = histograms_of(own_samples(*file.sidecar, file.own_modules));
  file.raw.arcs = own_arcs(*file.sidecar, file.own_modules);
}

}  // namespace gprof
