#include "engine/import/perf_recording.h"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "engine/support/digit_groups.h"
#include "formats/sidecar.h"

namespace gprof {
namespace {

// The clocks count nanoseconds.
constexpr std::uint64_t clock_rate = 1'000'000'000;

// Memory of a sample until its cost is added.
constexpr std::uint64_t bytes_of_sample = 32;
// Every metric lists all threads, so their number is bounded by this and by the file's size.
constexpr std::uint64_t free_threads = 4096;
constexpr std::uint64_t bytes_of_thread = 96;
constexpr std::size_t max_thread_name = 64;

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

void PerfEvent::add(const RecordedSample& sample, MemoryRoom& room) {
  ++samples_;
  if (samples_ == 1) period_ = sample.period;
  one_period_ = one_period_ && sample.period == period_;
  has_periods_ = has_periods_ && sample.period > 0;
  has_chains_ = has_chains_ || (sample.has_places && sample.is_chain);
  // Other programs may be recorded as well: they are not shown, so their chains do not matter.
  if (sample.is_of_program) ++samples_of_program_;
  // The builder counts samples without a stack as left out.
  const Row stack = room.take(bytes_of_sample) ? sample.stack : no_row;
  taken_.push_back({stack, sample.thread, sample.slice, sample.period});
}

void PerfEvent::count_cut_samples(const ChainEnds& ends) {
  for (const Taken& taken : taken_) {
    if (taken.stack == no_row) continue;
    if (ends.has_program(taken.stack) && !ends.is_complete(taken.stack)) ++cut_;
  }
}

bool PerfEvent::has_stacks() const { return has_chains_ && cut_ <= samples_of_program_ / 2; }

bool PerfEvent::is_clock() const {
  const std::string_view event = without_modifiers(name_);
  // With terms of its own: `cpu-clock/freq=999/`.
  const std::string_view clock = event.substr(0, event.find('/'));
  return clock == "cpu-clock" || clock == "task-clock";
}

// The time between samples is known if it is the same for all and the event is a clock.
std::pair<ProfileMetric, bool> PerfEvent::metric(bool weigh) const {
  ProfileMetric made;
  Metric& metric = made.metric;
  metric.name = event_metric_name(name_);
  metric.label = is_clock() ? fmt::format("{}: CPU time", name_) : name_;
  metric.kind = MetricKind::sampled;
  metric.origin = "sampled by perf";
  metric.unit = "seconds";
  if (one_period_ && has_periods_) {
    metric.origin = fmt::format("sampled by perf every {} {}", digit_groups(period_),
                                is_clock() ? "ns" : "events");
  }
  if (is_clock() && one_period_ && has_periods_ && period_ <= clock_rate) {
    made.amounts_a_unit = static_cast<std::uint32_t>((clock_rate + period_ / 2) / period_);
    return {made, false};
  }
  if (weigh && has_periods_) {
    if (is_clock()) {
      made.amounts_a_unit = clock_rate;
    } else {
      metric.unit = without_modifiers(name_);
    }
    return {made, true};
  }
  metric.unit = "samples";
  return {made, false};
}

PerfRecording::PerfRecording(const std::string& path, std::uint64_t size,
                             const SymbolTable& symbols, MemoryRoom& room)
    : path_(path), size_(size), room_(room), builder_(room), ends_(builder_, symbols) {
  unknown_place_ = builder_.place({});
  left_out_ = builder_.place({.kind = PlaceKind::left_out});
}

// Thread 0 is shared by all threads beyond the bound.
std::uint32_t PerfRecording::thread_at(std::uint32_t process, std::uint32_t number,
                                       std::uint64_t time) {
  if (threads_.empty()) threads_.emplace_back();
  const auto known = thread_numbers_.find({process, number});
  if (known != thread_numbers_.end()) {
    Thread& thread = threads_[known->second];
    thread.start = std::min(thread.start, time);
    return known->second;
  }
  const std::uint64_t more = size_ / bytes_of_thread / std::max<std::size_t>(1, events_.size());
  if (threads_.size() > free_threads + more) {
    threads_left_out_ = true;
    return 0;
  }
  const auto next = static_cast<std::uint32_t>(threads_.size());
  thread_numbers_.emplace(std::pair(process, number), next);
  threads_.push_back({process, number, time});
  return next;
}

void PerfRecording::name_thread(std::uint32_t thread, std::string_view name) {
  if (thread != 0 && threads_[thread].name != name) {
    threads_[thread].name = name.substr(0, max_thread_name);
  }
}

void PerfRecording::name_threads(const ThreadName& name_of) {
  for (std::uint32_t i = 1; i < threads_.size(); ++i) {
    name_thread(i, name_of(threads_[i].process, threads_[i].number));
  }
}

Row PerfRecording::add_stack(std::span<const Row> places, ChainEnd end) {
  const std::span<const Row> known = places.empty() ? std::span(&unknown_place_, 1) : places;
  const bool has_room = std::ranges::find(known, no_row) == known.end();
  if (!has_room) {
    return known.front() == no_row ? no_row : builder_.stack_without_callers(known.front());
  }
  const Row stack = builder_.stack(known);
  ends_.say(stack, end);
  return stack;
}

void PerfRecording::add(std::size_t event, const RecordedSample& sample) {
  ends_.add(sample.stack, sample.thread);
  events_[event].add(sample, room_);
}

void PerfRecording::end_samples() {
  ends_.decide();
  stacks_of_costs_.assign(builder_.stacks().size(), no_row);
  for (PerfEvent& event : events_) event.count_cut_samples(ends_);
}

Row PerfRecording::stack_of_costs(Row stack) {
  if (stack == no_row || ends_.is_complete(stack)) return stack;
  Row& made = stacks_of_costs_[stack];
  if (made != no_row) return made;
  places_.clear();
  for (Row outer = stack; outer != no_row; outer = builder_.stacks()[outer].caller) {
    places_.push_back(builder_.stacks()[outer].place);
  }
  if (places_.back() != left_out_) places_.push_back(left_out_);
  made = left_out_ == no_row ? no_row : builder_.stack(places_);
  return made;
}

void PerfRecording::add_event(PerfEvent& event, std::span<const Row> threads, std::uint32_t order,
                              bool weigh) {
  auto [made, weighted] = event.metric(weigh);
  made.order = order;
  const Row row = builder_.metric(std::move(made));
  const bool with_callers = event.has_stacks();
  for (const PerfEvent::Taken& taken : event.take_samples()) {
    const std::uint64_t weight = weighted ? taken.period : 1;
    const Row stack = with_callers || taken.stack == no_row
                          ? stack_of_costs(taken.stack)
                          : builder_.stack_without_callers(builder_.innermost_place(taken.stack));
    builder_.cost(row, stack, threads[taken.thread], taken.slice, weight, excess_of(weight));
  }
}

std::vector<Row> PerfRecording::add_events(std::span<const std::size_t> order, bool weigh) {
  const Row run = builder_.run({.path = path_,
                                .tool = "perf",
                                .start = timeline_.start,
                                .slice_width = timeline_.width,
                                .slices = timeline_.slices});
  const Row unknown = builder_.thread({.process = builder_.process({.run = run})});
  std::vector<Row> threads = {unknown};
  for (std::size_t i = 1; i < threads_.size(); ++i) {
    const Thread& thread = threads_[i];
    const Row process = builder_.process({.run = run, .number = thread.process});
    const Row row = builder_.thread(
        {.process = process, .number = thread.number, .name = thread.name, .start = thread.start});
    threads.push_back(row == no_row ? unknown : row);
  }
  std::uint32_t place = 0;
  for (const std::size_t event : order) add_event(events_[event], threads, place++, weigh);
  return threads;
}

std::vector<std::string> PerfRecording::what_is_not_shown() const {
  std::vector<std::string> messages;
  if (threads_left_out_) {
    messages.push_back(
        fmt::format("holds samples of more than {} threads: those of the others are not told apart",
                    threads_.size() - 1));
  }
  for (const PerfEvent& event : events_) {
    if (!event.has_chains() || event.has_stacks()) continue;
    messages.push_back(
        fmt::format("{} of {} call chains{} do not reach the function that began the thread: "
                    "callers are not measured; {}",
                    event.cut_samples(), event.samples_of_program(),
                    events_.size() > 1 ? " of " + event.name() : "",
                    has_copies_ ? "record with larger copies of stacks, as with `perf record "
                                  "--call-graph dwarf,32768`"
                                : "record with `perf record --call-graph dwarf`, or build with "
                                  "-fno-omit-frame-pointer"));
  }
  return messages;
}

bool is_entry_of_system_calls(std::string_view kernel_function) {
  // Parts of the names on x86 and Arm.
  constexpr std::array<std::string_view, 6> parts = {"SYSCALL", "syscall", "SYSENTER",
                                                     "INT80",   "int80",   "el0_svc"};
  return std::ranges::any_of(parts, [&](std::string_view part) {
    return kernel_function.find(part) != std::string_view::npos;
  });
}

}  // namespace gprof
