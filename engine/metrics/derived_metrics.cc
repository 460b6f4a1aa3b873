#include "engine/metrics/derived_metrics.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace gprof {
namespace {

// Names that settings and requests already give a meaning.
constexpr std::array<std::string_view, 5> taken_names = {"time", "self", "total", calls_metric,
                                                         executions_metric};

std::string listed(const std::vector<std::string>& names) {
  constexpr std::size_t most_listed = 32;
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), most_listed); ++i) {
    text += (i == 0 ? "" : ", ") + names[i];
  }
  if (names.size() > most_listed) text += fmt::format(" and {} more", names.size() - most_listed);
  return text;
}

// Names of definitions to formulas of what the profile has.
class Definitions {
 public:
  Definitions(const std::vector<Metric>& metrics,
              const std::vector<DerivedMetricDefinition>& definitions) {
    for (const Metric& metric : metrics) metrics_.push_back(metric.name);
    for (const DerivedMetricDefinition& definition : built_in_metrics(metrics)) {
      add(definition, true);
    }
    const std::size_t taken = std::min(definitions.size(), most_derived_metrics);
    for (std::size_t i = 0; i < taken; ++i) {
      if (can_be_named(definitions[i].name)) add(definitions[i], false);
    }
    if (taken < definitions.size()) {
      tell(fmt::format("{} derived metrics are defined: those after the first {} are left out",
                       definitions.size(), taken));
    }
  }

  DerivedMetrics resolve() {
    parse_all();
    DerivedMetrics result;
    for (Definition& definition : definitions_) {
      resolve(definition);
      if (definition.state != State::resolved) continue;
      result.metrics.push_back({metric_of(definition), *definition.formula});
    }
    result.problems = std::move(problems_);
    return result;
  }

 private:
  enum class State : std::uint8_t { parsed, being_resolved, resolved, unusable };
  struct Definition {
    DerivedMetricDefinition text;
    bool is_built_in = false;
    State state = State::parsed;
    std::optional<Formula> formula;
  };

  void tell(std::string message) {
    problems_.push_back(Error{ErrorCode::invalid_argument, std::move(message), {}, std::nullopt});
  }
  void tell(const Definition& definition, std::string_view problem) {
    tell(fmt::format("derived metric {}: {}", definition.text.name, problem));
  }

  void add(const DerivedMetricDefinition& text, bool is_built_in) {
    by_name_.emplace(text.name, definitions_.size());
    definitions_.push_back({text, is_built_in, State::parsed, std::nullopt});
  }

  [[nodiscard]] bool is_of_profile(std::string_view name) const {
    return std::find(metrics_.begin(), metrics_.end(), name) != metrics_.end();
  }

  [[nodiscard]] bool can_be_named(const std::string& name) {
    const bool printable = std::none_of(name.begin(), name.end(), [](char letter) {
      return static_cast<unsigned char>(letter) < 0x20 || letter == 0x7f;
    });
    if (!printable) {
      tell("a derived metric has control characters in its name: give it another");
      return false;
    }
    if (name.empty() || name.size() > longest_metric_name) {
      tell(fmt::format("a derived metric has a name of {} bytes: give it one of 1 to {}",
                       name.size(), longest_metric_name));
      return false;
    }
    const bool taken = std::find(taken_names.begin(), taken_names.end(), name) != taken_names.end();
    if (!taken && !is_of_profile(name) && by_name_.find(name) == by_name_.end()) return true;
    tell(fmt::format("derived metric {}: there is a metric of that name: give it another", name));
    return false;
  }

  [[nodiscard]] std::vector<std::string> known_names() const {
    std::vector<std::string> names = metrics_;
    for (const Definition& definition : definitions_) names.push_back(definition.text.name);
    return names;
  }

  [[nodiscard]] std::vector<std::string> names_but(const std::string& name) const {
    std::vector<std::string> names = known_names();
    std::erase(names, name);
    return names;
  }

  void parse_all() {
    const std::vector<std::string> known = known_names();
    for (Definition& definition : definitions_) {
      auto formula = Formula::parse(definition.text.formula, known);
      if (formula) {
        definition.formula = *std::move(formula);
        continue;
      }
      definition.state = State::unusable;
      tell(definition, formula.error().message);
    }
  }

  [[nodiscard]] Definition* find(const std::string& name) {
    const auto found = by_name_.find(name);
    return found == by_name_.end() ? nullptr : &definitions_[found->second];
  }

  // All on the way back to this one cannot be used, and are told of together.
  void tell_cycle(const Definition& again) {
    std::string way;
    std::size_t first = way_.size();
    while (way_[first - 1] != &again) --first;
    for (std::size_t i = first - 1; i < way_.size(); ++i) {
      way_[i]->state = State::unusable;
      way += way_[i]->text.name + " -> ";
    }
    tell(fmt::format("derived metrics are defined by each other: {}{}", way, again.text.name));
  }

  // As deep as there are definitions.
  void resolve(Definition& definition) {  // NOLINT(misc-no-recursion)
    if (definition.state != State::parsed) return;
    definition.state = State::being_resolved;
    way_.push_back(&definition);
    const bool usable = resolve_names(definition);
    way_.pop_back();
    if (!usable) definition.state = State::unusable;
    if (definition.state == State::unusable) return;
    auto whole = definition.formula->with([this](const std::string& name) -> const Formula* {
      if (is_of_profile(name)) return nullptr;
      return &*find(name)->formula;
    });
    if (whole) {
      definition.formula = *std::move(whole);
      definition.state = State::resolved;
      return;
    }
    definition.state = State::unusable;
    tell(definition, whole.error().message);
  }

  [[nodiscard]] bool resolve_names(Definition& definition) {  // NOLINT(misc-no-recursion)
    for (const std::string& name : definition.formula->names()) {
      if (is_of_profile(name)) continue;
      Definition* other = find(name);
      if (other == nullptr) {
        tell(definition, fmt::format("the profile has no metric {}; there are: {}", name,
                                     listed(names_but(definition.text.name))));
        return false;
      }
      if (other->state == State::being_resolved) {
        tell_cycle(*other);
        return false;
      }
      resolve(*other);
      // A cycle through this one has been told.
      if (definition.state == State::unusable) return false;
      if (other->state != State::unusable) continue;
      tell(definition, fmt::format("it is made of {}, which cannot be used", name));
      return false;
    }
    return true;
  }

  [[nodiscard]] static Metric metric_of(const Definition& definition) {
    Metric metric;
    metric.name = definition.text.name;
    metric.label = metric.name;
    if (definition.is_built_in) metric.label.front() = static_cast<char>(metric.label.front() - 32);
    metric.unit = definition.text.unit;
    metric.kind = MetricKind::derived;
    metric.origin = definition.text.formula;
    return metric;
  }

  std::vector<std::string> metrics_;
  std::vector<Definition> definitions_;
  std::map<std::string, std::size_t, std::less<>> by_name_;
  std::vector<Definition*> way_;  // being resolved, each made of the next
  Warnings problems_;
};

}  // namespace

DerivedMetrics derived_metrics(const std::vector<Metric>& metrics,
                               const std::vector<DerivedMetricDefinition>& definitions) {
  return Definitions(metrics, definitions).resolve();
}

}  // namespace gprof
