#include "engine/import/perf_event.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <span>
#include <tuple>

#include <fmt/format.h>

#include "engine/support/saturating.h"

namespace gprof {
namespace {

// The clocks count nanoseconds.
constexpr std::uint64_t clock_rate = 1'000'000'000;

// Of all different stacks of an event, half a gigabyte: what comes later is known by its place.
constexpr std::uint64_t most_kept_frames = std::uint64_t{1} << 25;

// Memory per element, from reading it to the finished profile.
constexpr std::uint64_t bytes_of_sample = 96;
constexpr std::uint64_t bytes_of_stack = 128;
constexpr std::uint64_t bytes_of_frame = 40;

std::uint64_t bytes_of(std::span<const ModuleAddress> new_stack) {
  return bytes_of_stack + bytes_of_frame * new_stack.size();
}

// Without the letters of perf that say in which mode it counts: `cycles:u`, `cycles:ppp`.
std::string_view without_modifiers(std::string_view event) {
  const std::size_t colon = event.rfind(':');
  const bool has_modifiers =
      colon != std::string_view::npos &&
      event.find_first_not_of("ukhIGHpPSDWeb", colon + 1) == std::string_view::npos;
  return has_modifiers ? event.substr(0, colon) : event;
}

std::uint64_t excess_of(std::uint64_t weight) {
  constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
  if (weight < 2) return 0;
  return weight - 1 > most / weight ? most : weight * (weight - 1);
}

bool is_before(const SidecarPart& a, const SidecarPart& b) {
  return std::tie(a.thread, a.slice) < std::tie(b.thread, b.slice);
}

// Orders parts by whole, thread and slice, and makes one of those that agree in all three. Most
// wholes have a few parts, and most of these are in order.
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

// The sampled places, and their parts.
void take_samples(Sidecar& sidecar, const std::vector<SidecarPart>& of_stacks,
                  const std::vector<ModuleAddress>& places) {
  std::vector<ModuleAddress> ascending = places;
  std::sort(ascending.begin(), ascending.end());
  ascending.erase(std::unique(ascending.begin(), ascending.end()), ascending.end());
  for (const ModuleAddress& place : ascending) sidecar.samples.push_back({place, 0, 0});
  std::vector<std::uint32_t> ranks;
  ranks.reserve(places.size());
  for (const ModuleAddress& place : places) {
    const auto found = std::lower_bound(ascending.begin(), ascending.end(), place);
    ranks.push_back(static_cast<std::uint32_t>(found - ascending.begin()));
  }
  sidecar.sample_parts = of_stacks;
  for (SidecarPart& part : sidecar.sample_parts) {
    part.whole = ranks[part.whole];
    SidecarSample& sample = sidecar.samples[part.whole];
    sample.count = saturating_add(sample.count, part.count);
    sample.excess_variance = saturating_add(sample.excess_variance, part.excess_variance);
  }
  join_parts(sidecar.sample_parts, ascending.size());
}

// What the process and its threads have of them.
void describe_threads(Sidecar& sidecar, const PerfRecording& recording) {
  SidecarProcess& process = sidecar.process;
  process.start_time = recording.timeline.start;
  sidecar.slice_width = recording.timeline.width;
  sidecar.slices = recording.timeline.slices;
  sidecar.threads = recording.threads;
  for (const SidecarPart& part : sidecar.sample_parts) {
    process.samples = saturating_add(process.samples, part.count);
    process.sampling.excess_variance =
        saturating_add(process.sampling.excess_variance, part.excess_variance);
    if (part.thread >= sidecar.threads.size()) continue;
    SidecarThread& thread = sidecar.threads[part.thread];
    thread.samples = saturating_add(thread.samples, part.count);
  }
  const auto& threads = sidecar.threads;
  const bool one = !threads.empty() &&
                   std::all_of(threads.begin(), threads.end(), [&](const SidecarThread& thread) {
                     return thread.process == threads.front().process;
                   });
  // 0: of several.
  if (one) process.process = threads.front().process;
}

}  // namespace

PerfTimeline::PerfTimeline(std::uint64_t first, std::uint64_t last) : start(first) {
  const std::uint64_t length = last - first;
  while (length / width >= gprof_formats::most_slices) width *= 2;
  slices = static_cast<std::uint32_t>(length / width) + 1;
}

std::uint32_t PerfTimeline::slice_at(std::uint64_t time) const {
  const std::uint64_t slice = time < start ? 0 : (time - start) / width;
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(slice, slices - 1));
}

void PerfEvent::add(Sample sample, ImportRoom& room) {
  if (!room.take(bytes_of_sample)) {
    ++left_out_;
    return;
  }
  if (taken_.empty()) period_ = sample.period;
  one_period_ = one_period_ && sample.period == period_;
  has_periods_ = has_periods_ && sample.period > 0;
  if (sample.frames.empty()) {
    // Somewhere.
    sample.frames.emplace_back();
  } else {
    has_chains_ = has_chains_ || sample.is_chain;
    if (!sample.is_complete) ++cut_;
  }
  std::span<const ModuleAddress> frames = sample.frames;
  // Once the room is short, whole stacks are not even compared: that takes as long as they are
  // deep.
  const bool is_whole =
      frames.size() == 1 ||
      (!room.was_short() &&
       (stacks_.find(frames) ||
        (stacks_.frames() + frames.size() <= most_kept_frames && room.take(bytes_of(frames)))));
  if (!is_whole) {
    if (sample.is_complete) ++cut_;
    frames = frames.first(1);
  }
  if (frames.size() == 1 && !stacks_.find(frames) && !room.take(bytes_of(frames))) {
    ++left_out_;
    return;
  }
  taken_.push_back({stacks_.find_or_add(frames), sample.thread, sample.slice, sample.period});
}

bool PerfEvent::has_stacks() const {
  constexpr std::uint64_t tolerated_part = 20;
  return has_chains_ && cut_ * tolerated_part <= samples();
}

bool PerfEvent::is_of_program() const {
  for (std::size_t stack = 0; stack < stacks_.size(); ++stack) {
    if (std::ranges::find(stacks_[stack], 0U, &ModuleAddress::module) != stacks_[stack].end()) {
      return true;
    }
  }
  return false;
}

std::vector<ModuleAddress> PerfEvent::places(const SymbolTable& symbols) const {
  std::vector<ModuleAddress> places(stacks_.size());
  for (std::size_t stack = 0; stack < places.size(); ++stack) {
    const ModuleAddress& place = stacks_[stack].front();
    // What is in no function of the program is somewhere.
    if (place.module != 0 || symbols.find(place.address)) places[stack] = place;
  }
  return places;
}

std::uint64_t PerfEvent::unplaced_samples(const SymbolTable& symbols) const {
  std::vector<bool> is_unplaced(stacks_.size());
  for (std::size_t stack = 0; stack < is_unplaced.size(); ++stack) {
    const ModuleAddress& place = stacks_[stack].front();
    is_unplaced[stack] = place.module == 0 && !symbols.find(place.address);
  }
  return static_cast<std::uint64_t>(std::count_if(
      taken_.begin(), taken_.end(), [&](const Taken& taken) { return is_unplaced[taken.stack]; }));
}

bool PerfEvent::is_clock() const {
  const std::string_view event = without_modifiers(name_);
  // With terms of its own: `cpu-clock/freq=999/`.
  const std::string_view clock = event.substr(0, event.find('/'));
  return clock == "cpu-clock" || clock == "task-clock";
}

// The time between samples is known if it is the same for all and the event is a clock.
bool PerfEvent::choose_unit(ImportedProfile& profile, bool of_several) const {
  RawProfile& raw = profile.raw;
  Metric& metric = profile.metric;
  metric.name = event_metric_name(name_);
  metric.label = is_clock() ? fmt::format("{}: CPU time", name_) : name_;
  metric.kind = MetricKind::sampled;
  metric.counted_by = "perf";
  if (one_period_ && has_periods_) {
    metric.counted_by = fmt::format("perf, a sample every {}{}", period_, is_clock() ? " ns" : "");
  }
  bool weighted = false;
  if (is_clock() && one_period_ && has_periods_ && period_ <= clock_rate) {
    raw.rate = static_cast<std::uint32_t>((clock_rate + period_ / 2) / period_);
  } else if (of_several && has_periods_) {
    weighted = true;
    raw.rate = is_clock() ? clock_rate : 1;
    if (!is_clock()) raw.dimension = without_modifiers(name_);
  } else {
    raw.rate = 1;
    raw.dimension = "samples";
  }
  if (raw.dimension != "seconds") raw.dimension_abbreviation = '#';
  metric.unit = raw.dimension;
  return weighted;
}

std::vector<SidecarPart> PerfEvent::take_parts(bool weighted) {
  std::vector<SidecarPart> parts;
  parts.reserve(taken_.size());
  for (const Taken& taken : taken_) {
    const std::uint64_t weight = weighted ? taken.period : 1;
    parts.push_back({taken.stack, taken.thread, taken.slice, weight, excess_of(weight)});
  }
  taken_ = {};
  join_parts(parts, stacks_.size());
  return parts;
}

void PerfEvent::take_stacks(Sidecar& sidecar, std::vector<SidecarPart> parts) {
  std::vector<std::uint64_t> counts(stacks_.size());
  for (const SidecarPart& part : parts) {
    counts[part.whole] = saturating_add(counts[part.whole], part.count);
  }
  std::vector<std::uint32_t> order(stacks_.size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::sort(order, [&](std::uint32_t a, std::uint32_t b) {
    return counts[a] != counts[b] ? counts[a] > counts[b]
                                  : std::ranges::lexicographical_compare(stacks_[a], stacks_[b]);
  });
  std::vector<std::uint32_t> ranks(stacks_.size());
  for (const std::uint32_t stack : order) {
    ranks[stack] = static_cast<std::uint32_t>(sidecar.stacks.size());
    const auto frames = stacks_[stack];
    sidecar.stacks.push_back({counts[stack], false, {frames.begin(), frames.end()}});
  }
  for (SidecarPart& part : parts) part.whole = ranks[part.whole];
  join_parts(parts, stacks_.size());
  sidecar.stack_parts = std::move(parts);
  sidecar.process.flags = process_flags::with_stacks;
}

ImportedProfile PerfEvent::take_profile(const PerfRecording& recording,
                                        const SymbolTable& symbols) {
  ImportedProfile profile;
  const bool with_stacks = has_stacks();
  const std::uint64_t signals = samples();
  const bool weighted = choose_unit(profile, recording.has_several_events);
  std::vector<SidecarPart> parts = take_parts(weighted);
  Sidecar& sidecar = profile.sidecar.emplace();
  sidecar.modules = recording.modules;
  take_samples(sidecar, parts, places(symbols));
  describe_threads(sidecar, recording);
  sidecar.process.signals = signals;
  if (with_stacks) take_stacks(sidecar, std::move(parts));
  stacks_ = {};
  std::map<Address, std::uint64_t> ticks;
  for (const SidecarSample& sample : sidecar.samples) {
    if (sample.place.module == 0) ticks[sample.place.address] = sample.count;
  }
  profile.raw.histograms = histograms_of(ticks);
  profile.raw.histogram_records = profile.raw.histograms.size();
  profile.own_modules.resize(sidecar.modules.size());
  profile.own_modules[0] = true;
  return profile;
}

std::vector<std::string> what_is_not_shown(const std::vector<PerfEvent>& events,
                                           const PerfRecording& recording,
                                           const ImportTarget& target) {
  std::vector<std::string> messages;
  if (recording.threads_left_out) {
    messages.push_back(
        fmt::format("holds samples of more than {} threads: those of the others are not told apart",
                    recording.threads.size()));
  }
  std::uint64_t samples = 0;
  std::uint64_t unplaced = 0;
  std::uint64_t left_out = 0;
  for (const PerfEvent& event : events) {
    samples += event.samples();
    left_out += event.left_out_samples();
    unplaced += event.unplaced_samples(target.symbols);
  }
  if (left_out > 0) {
    messages.push_back(
        fmt::format("{} samples are left out: the file {}", left_out, short_of_room_text()));
  }
  if (unplaced > 0) {
    messages.push_back(unplaced_samples_text(unplaced, samples, target.path));
  }
  for (const PerfEvent& event : events) {
    if (!event.has_chains() || event.has_stacks()) continue;
    messages.push_back(fmt::format(
        "{} of {} call chains{} do not reach the function that began the thread: "
        "callers are not measured; record with `perf record --call-graph dwarf`, or "
        "build with -fno-omit-frame-pointer",
        event.cut_samples(), event.samples(), events.size() > 1 ? " of " + event.name() : ""));
  }
  return messages;
}

}  // namespace gprof
