#include "server/cli/record/record_figures.h"

#include <algorithm>

#include "engine/analysis/idle_waits.h"
#include "engine/gmon/sidecar_sum.h"
#include "engine/support/saturating.h"

namespace gprof::lsp {
namespace {

constexpr double picoseconds_a_nanosecond = 1000;

bool counts_calls(const Sidecar& sidecar) {
  return sidecar.process.calls != 0 ||
         std::ranges::any_of(sidecar.modules, [](const SidecarModule& module) {
           return (module.flags & module_flags::profiled) != 0;
         });
}

void take_places(const Sidecar& sidecar, ProfileFigures& figures) {
  for (const SidecarSample& sample : sidecar.samples) {
    const bool in_a_file = sample.place.module < sidecar.modules.size();
    if (!in_a_file) {
      figures.elsewhere_samples = saturating_add(figures.elsewhere_samples, sample.count);
      continue;
    }
    const SidecarModule& module = sidecar.modules[sample.place.module];
    const bool has_profile = (module.flags & module_flags::main) != 0 || !module.file.empty();
    if (has_profile || is_collector_library(module)) continue;
    figures.library_samples = saturating_add(figures.library_samples, sample.count);
  }
}

// Idle are parts of waits, of a thread each.
void take_waits(const Sidecar& sidecar, ProfileFigures& figures) {
  std::uint64_t total = 0;
  for (const SidecarWait& wait : sidecar.waits) total = saturating_add(total, wait.total);
  std::vector<bool> own_modules;
  for (const SidecarModule& module : sidecar.modules) {
    own_modules.push_back((module.flags & module_flags::main) != 0);
  }
  const IdleWaits idle(sidecar, own_modules);
  for (const SidecarPart& part : sidecar.wait_parts) {
    if (idle.has(part)) figures.idle = saturating_add(figures.idle, part.count);
  }
  figures.idle = std::min(figures.idle, total);
  figures.waited = total - figures.idle;
}

}  // namespace

ProfileFigures figures_of(const Sidecar& sidecar, CollectorCode& collector) {
  const SidecarProcess& process = sidecar.process;
  ProfileFigures figures;
  figures.calls = process.calls;
  figures.counts_calls = counts_calls(sidecar);
  figures.counts_no_calls = !figures.counts_calls;
  figures.samples = process.samples;
  take_places(sidecar, figures);
  figures.collector_samples = collector.samples_in(sidecar);
  figures.cpu_time = process.cpu_time;
  figures.unsampled_time = process.unsampled_time;
  figures.earlier_time = process.earlier_time;
  figures.counting_time = static_cast<double>(process.price_picoseconds) /
                          picoseconds_a_nanosecond * static_cast<double>(process.calls);
  figures.sampling = sampling_quality(process);
  figures.requested_rate = process.requested_rate;
  figures.source = process.sample_source;
  figures.has_timer = process.sample_source != SampleSource::none;
  if (process.start_time != 0 && process.end_time > process.start_time) {
    figures.ran.push_back({process.start_time, process.end_time});
  }
  figures.measures_waits = (process.flags & process_flags::with_waits) != 0;
  take_waits(sidecar, figures);
  figures.threads = sidecar.threads.size();
  figures.lost_calls = process.lost_calls;
  figures.lost_samples = process.lost_samples;
  figures.lost_stacks = process.lost_stacks;
  figures.limited = (process.flags & process_flags::limited) != 0;
  for (const SidecarStack& stack : sidecar.stacks) {
    figures.stacks = saturating_add(figures.stacks, stack.count);
    if (!stack.truncated) continue;
    figures.truncated_stacks = saturating_add(figures.truncated_stacks, stack.count);
  }
  // A process that wrote its profile itself had all of its memory.
  figures.incomplete = (process.flags & process_flags::incomplete) != 0 &&
                       (process.ending == Ending::killed || process.ending == Ending::unknown);
  return figures;
}

void add_figures(ProfileFigures& total, const ProfileFigures& other) {
  const auto add = [](std::uint64_t& sum, std::uint64_t part) { sum = saturating_add(sum, part); };
  add(total.calls, other.calls);
  total.counts_calls = total.counts_calls || other.counts_calls;
  total.counts_no_calls = total.counts_no_calls || other.counts_no_calls;
  add(total.samples, other.samples);
  add(total.collector_samples, other.collector_samples);
  add(total.library_samples, other.library_samples);
  add(total.elsewhere_samples, other.elsewhere_samples);
  add(total.cpu_time, other.cpu_time);
  add(total.unsampled_time, other.unsampled_time);
  add(total.earlier_time, other.earlier_time);
  total.counting_time += other.counting_time;
  add_quality(total.sampling, other.sampling);
  if (total.requested_rate == 0) total.requested_rate = other.requested_rate;
  if (total.source == SampleSource::none) total.source = other.source;
  total.has_timer = total.has_timer && other.has_timer;
  total.ran.insert(total.ran.end(), other.ran.begin(), other.ran.end());
  add(total.cpu_wait, other.cpu_wait);
  total.measures_waits = total.measures_waits || other.measures_waits;
  add(total.waited, other.waited);
  add(total.idle, other.idle);
  total.threads += other.threads;
  add(total.lost_calls, other.lost_calls);
  add(total.lost_samples, other.lost_samples);
  add(total.lost_stacks, other.lost_stacks);
  total.limited = total.limited || other.limited;
  add(total.stacks, other.stacks);
  add(total.truncated_stacks, other.truncated_stacks);
  total.incomplete = total.incomplete || other.incomplete;
}

std::uint64_t wall_time(const ProfileFigures& figures) {
  std::vector<TimeSpan> spans = figures.ran;
  std::ranges::sort(spans, {}, &TimeSpan::begin);
  std::uint64_t total = 0;
  std::uint64_t reached = 0;
  for (const TimeSpan& span : spans) {
    const std::uint64_t begin = std::max(span.begin, reached);
    if (span.end <= begin) continue;
    total = saturating_add(total, span.end - begin);
    reached = span.end;
  }
  return total;
}

}  // namespace gprof::lsp
