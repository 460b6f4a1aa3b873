#include "engine/recording.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <utility>

#include "engine/analysis/collected_samples.h"
#include "engine/waiting.h"

namespace gprof {
namespace {

Seconds seconds_of(std::uint64_t nanoseconds) {
  return static_cast<double>(nanoseconds) / nanoseconds_a_second;
}

// By the realtime clock; empty if it is not known when it ran.
struct Interval {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

// The recordings of a sum lie on top of each other: its first begins and its last ends when it did.
Interval interval_of(const ProfileFile& file) {
  if (!file.sidecar) return {};
  const SidecarProcess& process = file.sidecar->process;
  const std::uint64_t slices = file.sidecar->slice_width * file.sidecar->slices;
  const bool is_sum = process.process == 0;
  std::uint64_t length =
      process.end_time > process.start_time ? process.end_time - process.start_time : slices;
  if (is_sum && slices != 0) length = std::min(length, slices);
  return {process.start_time, process.start_time + length};
}

// When the runs began that overlap with this one, directly or by way of others: by run.
std::vector<std::uint64_t> beginnings(const std::vector<Interval>& intervals) {
  std::vector<std::size_t> order(intervals.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return intervals[a].begin < intervals[b].begin;
  });
  std::vector<std::uint64_t> begin(intervals.size());
  std::uint64_t first = 0;
  std::uint64_t covered_up_to = 0;
  for (const std::size_t run : order) {
    if (intervals[run].begin >= covered_up_to) first = intervals[run].begin;
    covered_up_to = std::max(covered_up_to, intervals[run].end);
    begin[run] = first;
  }
  return begin;
}

std::uint32_t process_of(const ProfileFile& file, std::size_t index) {
  if (file.process != 0) return file.process;
  if (file.sidecar && file.sidecar->process.process != 0) return file.sidecar->process.process;
  return static_cast<std::uint32_t>(index + 1);
}

// Samples of each of the sidecar's threads.
std::vector<double> samples_by_thread(const Sidecar& sidecar) {
  std::vector<double> samples(sidecar.threads.size());
  for (const SidecarPart& part : sidecar.sample_parts) {
    if (part.thread < samples.size()) samples[part.thread] += static_cast<double>(part.count);
  }
  return samples;
}

bool has_parts(const Sidecar& sidecar) {
  return !sidecar.sample_parts.empty() || !sidecar.stack_parts.empty() ||
         !sidecar.arc_parts.empty() || !sidecar.wait_parts.empty();
}

}  // namespace

const ProfileFile* RecordedRun::read_by(std::string_view cost) const {
  if (file.metric.name == cost) return &file;
  const auto found = std::ranges::find_if(
      file.others, [&](const ProfileFile& other) { return other.metric.name == cost; });
  return found == file.others.end() ? nullptr : &*found;
}

std::shared_ptr<const ProfileFile> RecordedRun::by(std::string_view cost, bool with_idle) const {
  if (const ProfileFile* read = read_by(cost)) {
    return {std::shared_ptr<const ProfileFile>(), read};
  }
  auto made = by_waiting(file, cost, with_idle);
  if (!made) return nullptr;
  return std::make_shared<const ProfileFile>(std::move(*made));
}

const ProfileFile* RecordedRun::divided_as(std::string_view cost) const {
  if (const ProfileFile* read = read_by(cost)) return read;
  const auto metrics = waiting_metrics(file);
  return std::ranges::find(metrics, cost, &Metric::name) == metrics.end() ? nullptr : &file;
}

const ExternalFunctions& RecordedRun::functions_by(std::string_view cost) const {
  for (std::size_t i = 0; i < std::min(file.others.size(), other_functions.size()); ++i) {
    if (file.metric.name != cost && file.others[i].metric.name == cost) return *other_functions[i];
  }
  return *functions;
}

RawProfile header_of(const RawProfile& raw) {
  RawProfile header;
  header.format = raw.format;
  header.version = raw.version;
  header.rate = raw.rate;
  header.dimension = raw.dimension;
  header.dimension_abbreviation = raw.dimension_abbreviation;
  header.exact_call_sites = raw.exact_call_sites;
  header.exact_costs = raw.exact_costs;
  header.by_clock = raw.by_clock;
  header.ticks_per_sample = raw.ticks_per_sample;
  header.sampled_ticks = raw.sampled_ticks;
  header.build_id_prefix = raw.build_id_prefix;
  return header;
}

Dimensions dimensions_of(const std::vector<std::string>& paths) {
  Dimensions dimensions;
  for (std::size_t i = 0; i < paths.size(); ++i) {
    dimensions.processes.push_back(
        {static_cast<std::uint32_t>(i + 1), std::string(file_name_of(paths[i])), 0, 0});
  }
  return dimensions;
}

// Gathers what can be selected of runs, one after the other.
class Recording::Describer {
 public:
  explicit Describer(Dimensions& dimensions) : dimensions_(dimensions) {}

  void add(const RecordedRun& run);

 private:
  // The first name that a process has remains.
  void add_process(std::uint32_t number, std::string_view name, Seconds from, Seconds to);
  // Threads whose costs were counted, each by itself.
  void add_counted(const RecordedRun& run);

  Dimensions& dimensions_;
  // By number: a recording of a whole system has any number of processes.
  std::map<std::uint32_t, std::size_t> process_places_;
};

void Recording::Describer::add_process(std::uint32_t number, std::string_view name, Seconds from,
                                       Seconds to) {
  auto& processes = dimensions_.processes;
  const auto [place, is_new] = process_places_.try_emplace(number, processes.size());
  if (is_new) processes.push_back({number, std::string(name), from, 0});
  RecordedProcess& process = processes[place->second];
  process.from = std::min(process.from, from);
  process.to = std::max(process.to, to);
}

Recording::Recording(std::vector<RecordedRun> runs) : runs_(std::move(runs)) {
  lay_out();
  Describer describer(dimensions_);
  std::set<std::string, std::less<>> names;
  const auto add = [&](const Metric& metric) {
    if (names.insert(metric.name).second) metrics_.push_back(metric);
  };
  for (const RecordedRun& run : runs_) {
    add(run.file.metric);
    for (const ProfileFile& other : run.file.others) add(other.metric);
    for (const Metric& metric : waiting_metrics(run.file)) add(metric);
    describer.add(run);
  }
}

void Recording::lay_out() {
  std::vector<Interval> intervals;
  for (const RecordedRun& run : runs_) intervals.push_back(interval_of(run.file));
  const std::vector<std::uint64_t> begin = beginnings(intervals);
  for (std::size_t i = 0; i < runs_.size(); ++i) {
    runs_[i].begin = seconds_of(intervals[i].begin - begin[i]);
    runs_[i].process = process_of(runs_[i].file, i);
  }
}

void Recording::Describer::add_counted(const RecordedRun& run) {
  const double rate = run.file.raw.rate > 0 ? run.file.raw.rate : 1;
  for (const ImportedThread& thread : run.file.threads) {
    const std::uint32_t process = thread.process != 0 ? thread.process : run.process;
    add_process(process, file_name_of(run.path), run.begin, run.begin);
    if (thread.thread == 0) continue;
    double cost = thread.inclusive.external;
    for (const auto& [address, ticks] : thread.ticks) cost += static_cast<double>(ticks);
    dimensions_.threads.push_back({process, thread.thread, "", cost / rate});
    dimensions_.calls_by_thread = true;
  }
}

void Recording::Describer::add(const RecordedRun& run) {
  if (!run.file.threads.empty()) return add_counted(run);
  const Interval interval = interval_of(run.file);
  const Seconds end = run.begin + seconds_of(interval.end - interval.begin);
  dimensions_.length = std::max(dimensions_.length, end);
  const std::string_view name = file_name_of(run.path);
  const ProfileFile& file = run.file;
  const bool apart = file.sidecar && has_parts(*file.sidecar);
  const bool of_threads =
      apart && std::ranges::any_of(file.sidecar->threads,
                                   [](const SidecarThread& thread) { return thread.process != 0; });
  if (!of_threads) add_process(run.process, name, run.begin, end);
  if (file.thread != 0) {
    double cost = file.inclusive.external;
    for (const auto& [address, ticks] : file.inclusive.self) cost += ticks;
    const double rate = file.raw.rate > 0 ? file.raw.rate : 1;
    dimensions_.threads.push_back({run.process, file.thread, "", cost / rate});
    dimensions_.calls_by_thread = true;
  }
  if (!apart) return;
  const Sidecar& sidecar = *file.sidecar;
  if (sidecar.slice_width != 0) {
    const Seconds width = seconds_of(sidecar.slice_width);
    dimensions_.slice_width =
        dimensions_.slice_width > 0 ? std::min(dimensions_.slice_width, width) : width;
  }
  dimensions_.calls_by_thread = dimensions_.calls_by_thread || !sidecar.arc_parts.empty();
  const std::vector<double> samples = samples_by_thread(sidecar);
  const double rate = file.raw.rate > 0 ? file.raw.rate : 1;
  for (std::size_t i = 0; i < sidecar.threads.size(); ++i) {
    const SidecarThread& thread = sidecar.threads[i];
    const std::uint32_t process = thread.process != 0 ? thread.process : run.process;
    add_process(process, name, run.begin, end);
    dimensions_.threads.push_back({process, thread.thread, thread.name, samples[i] / rate});
  }
}

}  // namespace gprof
