#include "engine/waiting.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "engine/analysis/external_functions.h"
#include "engine/analysis/idle_waits.h"
#include "engine/analysis/samples.h"
#include "engine/cpu_waits.h"
#include "engine/gmon/sidecar_parts.h"
#include "engine/narrowed_run.h"
#include "engine/support/saturating.h"

namespace gprof {
namespace {

constexpr std::uint32_t ticks_a_second = 1'000'000'000;

bool has_waits(const ProfileFile& file) { return file.sidecar && !file.sidecar->waits.empty(); }

// Samples a second; 0 if they are of another unit, which does not add up with waits. A file without
// samples has no rate of its own. perf has clocks by other names.
double cpu_rate(const ProfileFile& file) {
  if (file.metric.kind != MetricKind::sampled || file.metric.unit != "seconds") return 0;
  return file.raw.rate > 0 ? file.raw.rate : file.sidecar->process.requested_rate;
}

double ticks_per_sample(const ProfileFile& file) { return ticks_a_second / cpu_rate(file); }

void add_time(std::uint64_t& sum, std::uint64_t more) { sum = saturating_add(sum, more); }

std::uint64_t in_nanoseconds(std::uint64_t count, double by) {
  const double product = std::round(static_cast<double>(count) * by);
  constexpr double most = 1e18;
  return static_cast<std::uint64_t>(std::min(product, most));
}

// Makes a file's sidecar by one of the metrics.
class WaitingSidecar {
 public:
  WaitingSidecar(const ProfileFile& file, std::string_view cost, bool with_idle)
      : from_(*file.sidecar), own_modules_(file.own_modules), kind_(wait_kind_of(cost)) {
    result_.machine = from_.machine;
    result_.process = from_.process;
    result_.modules = from_.modules;
    result_.names = from_.names;
    result_.arcs = from_.arcs;
    result_.arc_parts = from_.arc_parts;
    result_.threads = from_.threads;
    result_.slice_width = from_.slice_width;
    result_.slices = from_.slices;
    result_.process.sampling = {};
    result_.process.lost_stacks = 0;
    result_.process.samples = 0;
    if (cost == wall_metric) add_cpu_time(ticks_per_sample(file));
    add_waits(with_idle ? IdleWaits() : IdleWaits(from_, file.own_modules));
  }

  [[nodiscard]] Sidecar take();

 private:
  using PartKey = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>;  // as comes_before
  using Parts = std::map<PartKey, std::uint64_t>;

  void add_cpu_time(double sample_ticks);
  void add_waits(const IdleWaits& idle);
  void add_cpu_waits();
  // The numbers of what is at that place.
  std::uint32_t sample_at(const ModuleAddress& place);
  std::uint32_t sample_of(const SidecarWait& wait);
  std::uint32_t stack_of(std::uint32_t wait_stack);
  std::uint32_t sampled_stack(std::uint32_t stack);
  static void add_part(Parts& parts, std::uint32_t whole, const SidecarPart& part,
                       std::uint64_t count) {
    if (count != 0) add_time(parts[{whole, part.thread, part.slice}], count);
  }
  [[nodiscard]] static std::vector<SidecarPart> taken(const Parts& parts);

  const Sidecar& from_;
  const std::vector<bool>& own_modules_;
  std::optional<WaitKind> kind_;
  Sidecar result_;
  std::map<ModuleAddress, std::uint32_t> samples_;
  std::map<std::uint32_t, std::uint32_t> stacks_;  // of waits
  std::map<std::uint32_t, std::uint32_t> sampled_stacks_;
  Parts sample_parts_;
  Parts stack_parts_;
};

std::uint32_t WaitingSidecar::sample_at(const ModuleAddress& place) {
  const auto next = static_cast<std::uint32_t>(result_.samples.size());
  const auto [known, is_new] = samples_.try_emplace(place, next);
  if (is_new) result_.samples.push_back({place, 0});
  return known->second;
}

// Histograms have two bytes together, and count them with what begins there: the last byte of a
// call may be counted with the next instruction, which is of another line or function, the one
// before not.
std::uint32_t WaitingSidecar::sample_of(const SidecarWait& wait) {
  ModuleAddress place = from_.wait_stacks[wait.stack].frames.front();
  const bool is_own = place.module < own_modules_.size() && own_modules_[place.module];
  if (is_own && place.address.value % bytes_per_unit == 0 && place.address.value != 0) {
    place.address = place.address - 1;
  }
  return sample_at(place);
}

std::uint32_t WaitingSidecar::stack_of(std::uint32_t wait_stack) {
  const auto next = static_cast<std::uint32_t>(result_.stacks.size());
  const auto [known, is_new] = stacks_.try_emplace(wait_stack, next);
  if (is_new) {
    result_.stacks.push_back(from_.wait_stacks[wait_stack]);
    result_.stacks.back().count = 0;
  }
  return known->second;
}

std::uint32_t WaitingSidecar::sampled_stack(std::uint32_t stack) {
  const auto next = static_cast<std::uint32_t>(result_.stacks.size());
  const auto [known, is_new] = sampled_stacks_.try_emplace(stack, next);
  if (is_new) {
    result_.stacks.push_back(from_.stacks[stack]);
    result_.stacks.back().count = 0;
  }
  return known->second;
}

void WaitingSidecar::add_cpu_time(double sample_ticks) {
  for (const SidecarSample& sample : from_.samples) {
    add_time(result_.samples[sample_at(sample.place)].count,
             in_nanoseconds(sample.count, sample_ticks));
  }
  // Places are told apart by their samples alone, so each has the number that it has there.
  for (const SidecarPart& part : from_.sample_parts) {
    add_part(sample_parts_, sample_at(from_.samples[part.whole].place), part,
             in_nanoseconds(part.count, sample_ticks));
  }
  for (std::uint32_t i = 0; i < from_.stacks.size(); ++i) {
    result_.stacks[sampled_stack(i)].count = in_nanoseconds(from_.stacks[i].count, sample_ticks);
  }
  for (const SidecarPart& part : from_.stack_parts) {
    add_part(stack_parts_, sampled_stack(part.whole), part,
             in_nanoseconds(part.count, sample_ticks));
  }
  const std::uint64_t lost =
      from_.stacks.empty() ? from_.process.samples : from_.process.lost_stacks;
  result_.process.lost_stacks = in_nanoseconds(lost, sample_ticks);
}

void WaitingSidecar::add_waits(const IdleWaits& idle) {
  std::vector<std::uint64_t> left_out(from_.waits.size());
  const auto is_of_kind = [&](const SidecarWait& wait) {
    return wait.kind != WaitKind::cpu && (!kind_ || wait.kind == *kind_);
  };
  for (const SidecarPart& part : from_.wait_parts) {
    const SidecarWait& wait = from_.waits[part.whole];
    if (!is_of_kind(wait)) continue;
    if (idle.has(part)) {
      add_time(left_out[part.whole], part.count);
      continue;
    }
    add_part(stack_parts_, stack_of(wait.stack), part, part.count);
    add_part(sample_parts_, sample_of(wait), part, part.count);
  }
  for (std::size_t i = 0; i < from_.waits.size(); ++i) {
    const SidecarWait& wait = from_.waits[i];
    const std::uint64_t time = wait.total - std::min(wait.total, left_out[i]);
    if (!is_of_kind(wait) || time == 0) continue;
    add_time(result_.stacks[stack_of(wait.stack)].count, time);
    add_time(result_.samples[sample_of(wait)].count, time);
  }
  if (!kind_ || kind_ == WaitKind::cpu) add_cpu_waits();
}

// They have no place of their own: the samples of their threads give them one.
void WaitingSidecar::add_cpu_waits() {
  CpuWaitTimes times;
  std::uint64_t unknown = 0;  // whose it is
  std::optional<std::uint32_t> placeless;
  for (std::uint32_t i = 0; i < from_.waits.size(); ++i) {
    if (from_.waits[i].kind != WaitKind::cpu) continue;
    add_time(unknown, from_.waits[i].total);
    placeless = i;
  }
  if (!placeless) return;
  for (const SidecarPart& part : from_.wait_parts) {
    if (from_.waits[part.whole].kind != WaitKind::cpu) continue;
    times.add(part);
    // Parts are not aligned: no reference may be bound to a member.
    const std::uint64_t known = part.count;
    unknown -= std::min(unknown, known);
  }
  const SidecarWait& nowhere = from_.waits[*placeless];
  const auto count_sample = [&](const SidecarPart& share) {
    const std::uint32_t sample = share.whole == CpuWaitShares::nowhere
                                     ? sample_of(nowhere)
                                     : sample_at(from_.samples[share.whole].place);
    add_time(result_.samples[sample].count, share.count);
    add_part(sample_parts_, sample, share, share.count);
  };
  const auto count_stack = [&](const SidecarPart& share) {
    const std::uint32_t stack = share.whole == CpuWaitShares::nowhere ? stack_of(nowhere.stack)
                                                                      : sampled_stack(share.whole);
    add_time(result_.stacks[stack].count, share.count);
    add_part(stack_parts_, stack, share, share.count);
  };
  CpuWaitShares(from_.sample_parts).share_out(times, count_sample);
  CpuWaitShares(from_.stack_parts).share_out(times, count_stack);
  if (unknown == 0) return;
  add_time(result_.samples[sample_of(nowhere)].count, unknown);
  add_time(result_.stacks[stack_of(nowhere.stack)].count, unknown);
}

std::vector<SidecarPart> WaitingSidecar::taken(const Parts& parts) {
  std::vector<SidecarPart> list;
  list.reserve(parts.size());
  for (const auto& [key, count] : parts) {
    const auto& [whole, thread, slice] = key;
    list.push_back({whole, thread, slice, count});
  }
  return list;
}

Sidecar WaitingSidecar::take() {
  result_.sample_parts = taken(sample_parts_);
  result_.stack_parts = taken(stack_parts_);
  for (const SidecarSample& sample : result_.samples)
    add_time(result_.process.samples, sample.count);
  return std::move(result_);
}

// In ticks, how much of the profile was sampled, and how much a sample stands for: see RawProfile.
void describe_sampling(RawProfile& raw, const ProfileFile& file) {
  double samples = 0;
  for (const SidecarSample& sample : file.sidecar->samples) {
    samples += static_cast<double>(sample.count);
  }
  const SamplingQuality& quality = file.sidecar->process.sampling;
  const double dispersion =
      samples > 0 ? 1 + static_cast<double>(quality.excess_variance) / samples : 1;
  raw.ticks_per_sample = ticks_per_sample(file) * dispersion;
  raw.sampled_ticks = samples * ticks_per_sample(file);
}

Metric metric_by_clock(std::string name, std::string_view label) {
  return {std::move(name), std::string(label), "seconds", MetricKind::exact,
          "exact: measured around blocking calls"};
}

// Exact by thread and time, an estimate by line.
Metric cpu_wait_metric(std::string_view label) {
  return {wait_metric_of(WaitKind::cpu), std::string(label), "seconds", MetricKind::exact,
          "exact for each thread, by the kernel; estimated for lines, by the thread's samples"};
}

Metric wall_metric_of(const ProfileFile& file) {
  return {std::string(wall_metric), "Time by the clock: CPU time and waiting", "seconds",
          MetricKind::sampled,
          fmt::format("CPU time {}, waits measured around blocking calls", file.metric.origin)};
}

// The places of a stack in the program's own code, innermost first.
std::vector<Address> own_places(const SidecarStack& stack, const std::vector<bool>& own_modules) {
  std::vector<Address> places;
  for (std::size_t i = 0; i < stack.frames.size(); ++i) {
    const ModuleAddress& frame = stack.frames[i];
    if (frame.module >= own_modules.size() || !own_modules[frame.module]) continue;
    places.push_back(code_address(frame.address, i == 0));
  }
  return places;
}

// Adds what the chosen parts of waits for a CPU have at each place in the program's own code.
void add_cpu_waits(WaitIndex& index, const ProfileFile& file, const RunPart& chosen) {
  const Sidecar& sidecar = *file.sidecar;
  CpuWaitTimes times;
  for (const SidecarPart& part : sidecar.wait_parts) {
    if (sidecar.waits[part.whole].kind == WaitKind::cpu && chosen.has(part)) times.add(part);
  }
  const bool by_stack = !sidecar.stacks.empty();
  std::map<std::uint32_t, std::uint64_t> sums;
  CpuWaitShares(by_stack ? sidecar.stack_parts : sidecar.sample_parts)
      .share_out(times,
                 [&](const SidecarPart& share) { add_time(sums[share.whole], share.count); });
  for (const auto& [whole, time] : sums) {
    WaitIndex::Wait wait;
    wait.kind = WaitKind::cpu;
    wait.busy.time = time;
    if (whole != CpuWaitShares::nowhere) {
      const SidecarStack place =
          by_stack ? SidecarStack() : SidecarStack{0, false, {sidecar.samples[whole].place}};
      wait.places = own_places(by_stack ? sidecar.stacks[whole] : place, file.own_modules);
    }
    index.add(std::move(wait));
  }
}

LockHolder holder_of(const SidecarHolder& holder, const ProfileFile& file) {
  LockHolder made{std::nullopt, holder.time, holder.times};
  const auto places = own_places(file.sidecar->wait_stacks[holder.holder], file.own_modules);
  if (!places.empty()) made.place = places.front();
  return made;
}

// Adds the waits of one run. `first_thread`: the number of its first thread among those of all
// runs.
void add_run(WaitIndex& index, const RecordedRun& run, const Selection& selection,
             std::uint32_t first_thread) {
  const ProfileFile& file = run.file;
  const Sidecar& sidecar = *file.sidecar;
  const RunPart chosen(run, file, selection);
  if (chosen.is_nothing()) return;
  const IdleWaits idle(sidecar, file.own_modules);
  std::vector<WaitIndex::Wait> waits(sidecar.waits.size());
  std::vector<WaitTime> parts(sidecar.waits.size());  // that are chosen, idle or not
  for (const SidecarPart& part : sidecar.wait_parts) {
    if (!chosen.has(part)) continue;
    const WaitTime time{part.count, part.excess_variance, 0};
    parts[part.whole].add(time);
    if (!idle.has(part)) continue;
    waits[part.whole].idle.add(time);
    waits[part.whole].idle_threads.push_back(first_thread + part.thread);
  }
  for (std::size_t i = 0; i < waits.size(); ++i) {
    const SidecarWait& wait = sidecar.waits[i];
    WaitIndex::Wait& made = waits[i];
    const WaitTime all = chosen.is_all() ? WaitTime{wait.total, wait.times, 0} : parts[i];
    made.kind = wait.kind;
    made.busy.time = all.time - std::min(all.time, made.idle.time);
    // A wait of several slices may count in each.
    made.idle.times = std::min(made.idle.times, wait.times);
    made.busy.times = std::min(all.times, wait.times) - std::min(all.times, made.idle.times);
    (made.busy.time != 0 ? made.busy : made.idle).longest = wait.longest;
    made.places = own_places(sidecar.wait_stacks[wait.stack], file.own_modules);
  }
  if (chosen.is_all()) {
    for (const SidecarHolder& holder : sidecar.wait_holders) {
      waits[holder.wait].holders.push_back(holder_of(holder, file));
    }
  }
  for (WaitIndex::Wait& wait : waits) {
    if (wait.kind == WaitKind::cpu) continue;
    if (wait.busy.time != 0 || wait.idle.time != 0) index.add(std::move(wait));
  }
  add_cpu_waits(index, file, chosen);
}

}  // namespace

void for_each_activity(const ProfileFile& file, std::string_view cost, const ActivityVisit& visit) {
  const std::vector<Metric> metrics = waiting_metrics(file);
  if (std::ranges::find(metrics, cost, &Metric::name) == metrics.end()) return;
  const Sidecar& sidecar = *file.sidecar;
  if (cost == wall_metric) {
    for (const SidecarPart& part : sidecar.sample_parts) {
      visit(part, static_cast<double>(part.count) / cpu_rate(file), Activity::running);
    }
  }
  const auto kind = wait_kind_of(cost);
  const IdleWaits idle(sidecar, file.own_modules);
  for (const SidecarPart& part : sidecar.wait_parts) {
    const SidecarWait& wait = sidecar.waits[part.whole];
    if (kind && wait.kind != *kind) continue;
    visit(part, static_cast<double>(part.count) / ticks_a_second,
          idle.has(part) ? Activity::idle : activity_of(wait.kind));
  }
}

std::shared_ptr<const WaitIndex> wait_index_of(std::span<const RecordedRun> runs,
                                               const Selection& selection) {
  auto index = std::make_shared<WaitIndex>();
  std::uint32_t threads = 0;
  for (const RecordedRun& run : runs) {
    if (!has_waits(run.file)) continue;
    add_run(*index, run, selection, threads);
    threads += static_cast<std::uint32_t>(run.file.sidecar->threads.size());
  }
  if (index->empty()) return nullptr;
  index->finish();
  return index;
}

bool is_of_waiting(std::string_view cost) {
  return cost == wait_metric || cost == wall_metric || wait_kind_of(cost).has_value();
}

std::vector<Metric> waiting_metrics(const ProfileFile& file) {
  std::vector<Metric> metrics;
  if (!has_waits(file)) return metrics;
  metrics.push_back(metric_by_clock(std::string(wait_metric), "Waiting"));
  for (const WaitKindText& text : wait_kinds()) {
    const bool occurs = std::ranges::any_of(
        file.sidecar->waits, [&](const SidecarWait& wait) { return wait.kind == text.kind; });
    if (!occurs) continue;
    metrics.push_back(text.kind == WaitKind::cpu
                          ? cpu_wait_metric(text.label)
                          : metric_by_clock(wait_metric_of(text.kind), text.label));
  }
  if (cpu_rate(file) > 0) metrics.push_back(wall_metric_of(file));
  return metrics;
}

std::optional<ProfileFile> by_waiting(const ProfileFile& file, std::string_view cost,
                                      bool with_idle) {
  const std::vector<Metric> metrics = waiting_metrics(file);
  const auto metric = std::ranges::find(metrics, cost, &Metric::name);
  if (metric == metrics.end()) return std::nullopt;
  ProfileFile result;
  result.metric = *metric;
  result.process = file.process;
  result.thread = file.thread;
  result.modified = file.modified;
  result.own_modules = file.own_modules;
  result.external_names = file.external_names;
  result.sidecar = WaitingSidecar(file, cost, with_idle).take();
  result.raw = header_of(file.raw);
  result.raw.rate = ticks_a_second;
  // Whatever the file's first metric is in, waits are times.
  result.raw.dimension = "seconds";
  result.raw.dimension_abbreviation = 's';
  result.raw.exact_costs = cost != wall_metric;
  result.raw.by_clock = true;
  if (cost == wall_metric) describe_sampling(result.raw, file);
  count_from_sidecar(result);
  return result;
}

}  // namespace gprof
