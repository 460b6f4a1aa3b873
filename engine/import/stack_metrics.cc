#include "engine/import/stack_metrics.h"

#include <algorithm>

#include "engine/support/saturating.h"

namespace gprof {
namespace {

// Each metric has a list of them. Those of more are not told apart.
constexpr std::size_t most_threads_of_stacks = 4096;
constexpr std::size_t longest_thread_name = 64;

std::uint64_t excess_of(std::uint64_t ticks, std::uint64_t ticks_a_sample) {
  constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
  if (ticks_a_sample < 2 || ticks == 0) return 0;
  return ticks_a_sample - 1 > most / ticks ? most : ticks * (ticks_a_sample - 1);
}

void set_errors(std::vector<SidecarPart>& parts, std::uint64_t ticks_a_sample) {
  for (SidecarPart& part : parts) {
    part.slice = no_slice;
    part.excess_variance = excess_of(part.count, ticks_a_sample);
  }
}

}  // namespace

StackMetrics::StackMetrics(std::vector<StackMetric> metrics, ImportRoom& room)
    : metrics_(std::move(metrics)), room_(room) {
  // The events' own names do not matter: metrics have theirs.
  for (std::size_t i = 0; i < metrics_.size(); ++i) events_.emplace_back("values");
  recording_.has_several_events = true;
}

void StackMetrics::add(std::size_t metric, const std::vector<ModuleAddress>& frames,
                       std::uint64_t ticks, std::uint32_t thread) {
  if (ticks == 0) return;
  PerfEvent::Sample sample;
  sample.frames = frames;
  sample.period = ticks;
  sample.thread = thread;
  sample.is_chain = true;
  sample.is_complete = true;
  events_[metric].add(std::move(sample), room_);
  ++stacks_;
}

std::uint32_t StackMetrics::thread_of(std::uint32_t process, std::uint32_t thread,
                                      std::string_view name) {
  name = name.substr(0, longest_thread_name);
  // Of a numbered one, the first name.
  const ThreadKey key = {{process, thread}, thread != 0 ? std::string() : std::string(name)};
  const auto known = thread_places_.find(key);
  if (known != thread_places_.end()) return known->second;
  const auto place = static_cast<std::uint32_t>(recording_.threads.size());
  const std::uint64_t bytes = events_.size() * sizeof(SidecarThread);
  if (place >= most_threads_of_stacks || !room_.take(bytes)) {
    threads_left_out_ = true;
    return no_thread;
  }
  thread_places_.emplace(key, place);
  SidecarThread& added = recording_.threads.emplace_back();
  added.process = process;
  added.thread = thread != 0 ? thread : place + 1;
  added.name = name;
  return place;
}

std::uint64_t StackMetrics::left_out_samples() const {
  std::uint64_t sum = 0;
  for (const PerfEvent& event : events_) sum += event.left_out_samples();
  return sum;
}

bool StackMetrics::is_of_program() const {
  return std::ranges::any_of(events_, [](const PerfEvent& event) { return event.is_of_program(); });
}

std::uint64_t StackMetrics::unplaced(const SymbolTable& symbols) const {
  std::uint64_t sum = 0;
  for (const PerfEvent& event : events_) sum += event.unplaced_samples(symbols);
  return sum;
}

void StackMetrics::finish(ImportedProfile& profile, const StackMetric& metric) const {
  profile.metric = metric.metric;
  profile.raw.rate = metric.rate;
  profile.raw.dimension = metric.metric.unit;
  profile.raw.dimension_abbreviation = metric.metric.unit == "seconds" ? 's' : '#';
  Sidecar& sidecar = *profile.sidecar;
  // When is not known.
  sidecar.slice_width = 0;
  sidecar.slices = 0;
  if (sidecar.threads.empty()) {
    sidecar.sample_parts.clear();
    sidecar.stack_parts.clear();
  }
  set_errors(sidecar.sample_parts, metric.ticks_a_sample);
  set_errors(sidecar.stack_parts, metric.ticks_a_sample);
  sidecar.process.sampling.excess_variance = 0;
  for (SidecarSample& sample : sidecar.samples) {
    sample.excess_variance = excess_of(sample.count, metric.ticks_a_sample);
    sidecar.process.sampling.excess_variance =
        saturating_add(sidecar.process.sampling.excess_variance, sample.excess_variance);
  }
}

ImportedProfile StackMetrics::take(NamedPlaces& places, const SymbolTable& symbols) {
  recording_.modules = places.take_modules();
  const auto names = places.take_names();
  ImportedProfile first;
  for (std::size_t i = 0; i < events_.size(); ++i) {
    ImportedProfile profile = events_[i].take_profile(recording_, symbols);
    finish(profile, metrics_[i]);
    profile.external_names = names;
    if (i == 0) {
      first = std::move(profile);
    } else {
      first.others.push_back(std::move(profile));
    }
  }
  return first;
}

}  // namespace gprof
