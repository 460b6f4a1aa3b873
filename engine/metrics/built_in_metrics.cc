// Which metrics the built-in derived ones are made of.
#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "engine/metrics/derived_metrics.h"

namespace gprof {
namespace {

// An event as perf names it: `instructions`, `instructions:u`, `cpu_core/instructions/u`,
// `cpu/cache-misses,period=1000/`.
struct EventName {
  std::string_view unit;   // that counts it: cpu_core; empty if the name has none
  std::string_view event;  // instructions
  std::string mode;        // whose code: u, k, h, G, H; in the order of the name

  explicit EventName(std::string_view name) {
    std::string_view modifiers;
    const std::size_t slash = name.find('/');
    const std::size_t end = slash == std::string_view::npos ? slash : name.find('/', slash + 1);
    if (end != std::string_view::npos) {
      unit = name.substr(0, slash);
      event = name.substr(slash + 1, end - slash - 1);
      event = event.substr(0, event.find(','));
      modifiers = name.substr(end + 1);
    } else {
      const std::size_t colon = name.find(':');
      event = name.substr(0, colon);
      if (colon != std::string_view::npos) modifiers = name.substr(colon + 1);
    }
    for (const char letter : modifiers) {
      if (std::string_view("ukhGH").find(letter) != std::string_view::npos) mode += letter;
    }
  }
  [[nodiscard]] bool counts_for(const EventName& other) const {
    return unit == other.unit && mode == other.mode;
  }
};

// Names in formulas always stand in quotes: they may hold anything else.
bool can_be_quoted(const Metric& metric) {
  return metric.kind != MetricKind::derived && metric.name.find('"') == std::string::npos;
}

std::string in_quotes(std::string_view name) { return fmt::format("\"{}\"", name); }

class BuiltIn {
 public:
  explicit BuiltIn(const std::vector<Metric>& metrics) : metrics_(metrics) {}

  [[nodiscard]] std::vector<DerivedMetricDefinition> all() {
    const std::optional<std::string> seconds = time();
    if (seconds) {
      divide("seconds per call", *seconds, calls_metric, "seconds");
      divide("seconds per execution", *seconds, executions_metric, "seconds");
    }
    add_instructions_per_cycle();
    if (const auto misses = cache_misses()) {
      divide("misses per execution", *misses, executions_metric, "misses");
    }
    return std::move(definitions_);
  }

 private:
  [[nodiscard]] bool has(std::string_view name) const {
    return std::any_of(metrics_.begin(), metrics_.end(),
                       [&](const Metric& metric) { return metric.name == name; });
  }

  [[nodiscard]] std::optional<std::string> time() const {
    for (const std::string_view name :
         {cpu_metric, std::string_view("task-clock"), std::string_view("cpu-clock")}) {
      for (const Metric& metric : metrics_) {
        const bool fits = metric.unit == "seconds" && can_be_quoted(metric) &&
                          EventName(metric.name).event == name;
        if (fits) return in_quotes(metric.name);
      }
    }
    return std::nullopt;
  }

  void divide(std::string name, const std::string& dividend, std::string_view divisor,
              std::string unit) {
    if (!has(divisor)) return;
    definitions_.push_back(
        {std::move(name), fmt::format("{} / {}", dividend, in_quotes(divisor)), std::move(unit)});
  }

  void add_instructions_per_cycle() {
    for (const Metric& instructions : metrics_) {
      const EventName dividend(instructions.name);
      if (dividend.event != "instructions" || !can_be_quoted(instructions)) continue;
      for (const Metric& cycles : metrics_) {
        const EventName divisor(cycles.name);
        const bool fits = (divisor.event == "cycles" || divisor.event == "cpu-cycles") &&
                          dividend.counts_for(divisor) && can_be_quoted(cycles);
        if (!fits) continue;
        definitions_.push_back(
            {"instructions per cycle",
             fmt::format("{} / {}", in_quotes(instructions.name), in_quotes(cycles.name)),
             "instructions"});
        return;
      }
    }
  }

  [[nodiscard]] std::optional<std::string> cache_misses() const {
    for (const Metric& metric : metrics_) {
      if (EventName(metric.name).event == "cache-misses" && can_be_quoted(metric)) {
        return in_quotes(metric.name);
      }
    }
    // callgrind's misses of the last level: of instructions, reads and writes.
    std::string sum;
    for (const std::string_view name : {"ILmr", "DLmr", "DLmw"}) {
      if (has(name)) sum += (sum.empty() ? "" : " + ") + in_quotes(name);
    }
    if (sum.empty()) return std::nullopt;
    return fmt::format("({})", sum);
  }

  const std::vector<Metric>& metrics_;
  std::vector<DerivedMetricDefinition> definitions_;
};

}  // namespace

std::vector<DerivedMetricDefinition> built_in_metrics(const std::vector<Metric>& metrics) {
  return BuiltIn(metrics).all();
}

}  // namespace gprof
