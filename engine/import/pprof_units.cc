#include "engine/import/pprof_units.h"

#include <algorithm>
#include <array>
#include <limits>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "engine/import/imported_profile.h"

namespace gprof {
namespace {

constexpr std::size_t longest_type_name = 128;

struct TimeUnit {
  std::string_view name;
  std::uint32_t a_second;
};
constexpr std::array<TimeUnit, 8> time_units = {{{"nanoseconds", 1'000'000'000},
                                                 {"ns", 1'000'000'000},
                                                 {"microseconds", 1'000'000},
                                                 {"us", 1'000'000},
                                                 {"milliseconds", 1000},
                                                 {"ms", 1000},
                                                 {"seconds", 1},
                                                 {"s", 1}}};

struct TypeMeaning {
  std::string_view type;
  std::string_view meaning;
};
constexpr std::array<TypeMeaning, 8> type_meanings = {{{"cpu", "CPU time"},
                                                       {"wall", "elapsed time"},
                                                       {"alloc_objects", "objects allocated"},
                                                       {"alloc_space", "bytes allocated"},
                                                       {"inuse_objects", "objects in use"},
                                                       {"inuse_space", "bytes in use"},
                                                       {"contentions", "waits for locks"},
                                                       {"delay", "time of waiting"}}};

std::string label_of(std::string_view type) {
  for (const TypeMeaning& known : type_meanings) {
    if (known.type == type) return fmt::format("{}: {}", type, known.meaning);
  }
  return std::string(type);
}

// A sample every `period` nanoseconds: amounts are samples, as the collector's are.
void use_samples(PprofMetric& made, std::uint64_t period, std::uint64_t common) {
  if (period == 0) return;
  const bool whole = common % period == 0 && made.amounts_a_unit % period == 0;
  if (whole) {
    made.divisor = period;
    made.amounts_a_unit = static_cast<std::uint32_t>(made.amounts_a_unit / period);
  } else {
    made.amounts_a_sample = period;
  }
}

PprofMetric metric_of(const PprofFile& file, std::size_t type, std::uint64_t common) {
  PprofMetric made;
  made.type = type;
  const std::string_view name = file.types()[type].type.substr(0, longest_type_name);
  const std::string_view unit = file.types()[type].unit.substr(0, longest_type_name);
  Metric& metric = made.metric;
  metric.kind = MetricKind::sampled;
  metric.origin = "sampled, from a pprof file";
  metric.label = label_of(name);
  const auto time = std::ranges::find(time_units, unit, &TimeUnit::name);
  const bool is_time = time != time_units.end();
  const bool is_cpu_time = is_time && name == cpu_metric;
  metric.name = is_cpu_time ? std::string(cpu_metric) : event_metric_name(name);
  if (metric.name.empty()) metric.name = fmt::format("value {}", type + 1);
  if (is_time) {
    metric.unit = "seconds";
    made.amounts_a_unit = time->a_second;
  } else {
    metric.unit = unit.empty() || unit == "count" ? metric.name : std::string(unit);
  }
  const bool has_period = file.period() > 0 && file.period_type().unit == unit && unit != "count";
  if (has_period) use_samples(made, static_cast<std::uint64_t>(file.period()), common);
  if (has_period && is_time) {
    metric.origin = fmt::format("sampled every {} {}, from a pprof file", file.period(), unit);
  }
  return made;
}

}  // namespace

std::vector<PprofMetric> pprof_metrics(const PprofFile& file,
                                       const std::vector<std::uint64_t>& common) {
  std::vector<PprofMetric> metrics;
  const auto add = [&](std::size_t type) {
    PprofMetric made = metric_of(file, type, common[type]);
    const auto is_taken = [&] {
      return std::ranges::any_of(
          metrics, [&](const PprofMetric& other) { return other.metric.name == made.metric.name; });
    };
    std::string& name = made.metric.name;
    if (is_taken()) name = fmt::format("{} {}", name, made.metric.unit);
    if (is_taken()) name = fmt::format("{} {}", name, type + 1);
    metrics.push_back(std::move(made));
  };
  if (file.types().empty()) return metrics;
  add(file.default_type());
  for (std::size_t i = 0; i < file.types().size(); ++i) {
    if (i != file.default_type()) add(i);
  }
  return metrics;
}

}  // namespace gprof
