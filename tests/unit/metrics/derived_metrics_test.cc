// Which derived metrics a profile has, and what is told of definitions that cannot be used.
#include "engine/metrics/derived_metrics.h"

#include <string>
#include <vector>

#include <catch2/catch.hpp>

using namespace gprof;

namespace {

Metric counted(std::string name, std::string unit = "events") {
  return {name, name, std::move(unit), MetricKind::exact, "test"};
}

std::vector<Metric> of_callgrind() {
  return {counted("Ir"), counted("Dr"), counted("D1mr"), counted("calls", "calls")};
}

std::vector<std::string> names_of(const DerivedMetrics& derived) {
  std::vector<std::string> names;
  for (const DerivedMetric& metric : derived.metrics) names.push_back(metric.metric.name);
  return names;
}

std::string only_problem(const DerivedMetrics& derived) {
  REQUIRE(derived.problems.size() == 1);
  CHECK(derived.problems[0].code == ErrorCode::invalid_argument);
  return derived.problems[0].message;
}

using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("built-in derived metrics are those whose parts the profile has") {
  const Metric cpu = {"cpu", "CPU time", "seconds", MetricKind::sampled,
                      "sampled 100 times per CPU second"};
  const Metric calls = counted("calls", "calls");
  const Metric executions = counted("executions", "executions");
  CHECK(names_of(derived_metrics({}, {})).empty());
  CHECK(names_of(derived_metrics({cpu, executions}, {})) == Names{"seconds per execution"});
  const auto derived = derived_metrics({cpu, calls}, {});
  REQUIRE(derived.metrics.size() == 1);
  const DerivedMetric& per_call = derived.metrics[0];
  CHECK(per_call.metric == Metric{"seconds per call", "Seconds per call", "seconds",
                                  MetricKind::derived, "\"cpu\" / \"calls\""});
  CHECK(per_call.formula.names() == Names{"cpu", "calls"});
  CHECK(per_call.formula.evaluate({{3, 1}, {6, 0}})->value == 0.5);
  CHECK_FALSE(per_call.formula.evaluate({{3, 1}, {0, 0}}));
  const Metric clock = {"cpu-clock:u", "cpu-clock:u", "seconds", MetricKind::sampled, "perf"};
  CHECK(derived_metrics({clock, calls}, {}).metrics.at(0).formula.names() ==
        Names{"cpu-clock:u", "calls"});
  const Metric samples = {"cpu-clock", "cpu-clock", "samples", MetricKind::sampled, "perf"};
  CHECK(names_of(derived_metrics({samples, calls}, {})).empty());
}

TEST_CASE("instructions and cycles of one counter and one mode are divided") {
  const auto of = [](const Names& events) {
    std::vector<Metric> metrics;
    for (const std::string& event : events) metrics.push_back(counted(event));
    const auto derived = derived_metrics(metrics, {});
    CHECK(derived.problems.empty());
    return derived.metrics.empty() ? Names() : derived.metrics[0].formula.names();
  };
  CHECK(of({"cycles", "instructions"}) == Names{"instructions", "cycles"});
  CHECK(of({"instructions:u", "cpu-cycles:uppp"}) == Names{"instructions:u", "cpu-cycles:uppp"});
  CHECK(of({"instructions:u", "cycles:k"}).empty());
  CHECK(of({"cpu_core/instructions/", "cpu_atom/cycles/", "cpu_core/cycles,period=100/"}) ==
        Names{"cpu_core/instructions/", "cpu_core/cycles,period=100/"});
  CHECK(of({"instructions", "branches"}).empty());
}

TEST_CASE("misses per execution are perf's, or those of callgrind's last level") {
  const Metric executions = counted("executions", "executions");
  CHECK(
      derived_metrics({counted("cache-misses:u"), executions}, {}).metrics.at(0).formula.names() ==
      Names{"cache-misses:u", "executions"});
  const auto derived =
      derived_metrics({counted("DLmr"), counted("ILmr"), counted("DLmw"), executions}, {});
  CHECK(names_of(derived) == Names{"misses per execution"});
  CHECK(derived.metrics.at(0).formula.names() == Names{"ILmr", "DLmr", "DLmw", "executions"});
  CHECK(names_of(derived_metrics({counted("D1mr"), executions}, {})).empty());
}

TEST_CASE("definitions may use each other, in any order") {
  const auto derived = derived_metrics(
      of_callgrind(), {{"percent", "100 * miss rate", "%"}, {"miss rate", "D1mr / Dr", "misses"}});
  CHECK(derived.problems.empty());
  CHECK(names_of(derived) == Names{"percent", "miss rate"});
  const DerivedMetric& percent = derived.metrics.at(0);
  CHECK(percent.metric.unit == "%");
  CHECK(percent.metric.origin == "100 * miss rate");
  CHECK(percent.formula.names() == Names{"D1mr", "Dr"});
  CHECK(percent.formula.evaluate({{1, 0}, {4, 0}})->value == 25);
}

TEST_CASE("a definition that cannot be used is told of by name, and the rest works") {
  const auto with = [](std::vector<DerivedMetricDefinition> definitions) {
    definitions.push_back({"good", "Ir / Dr", ""});
    auto derived = derived_metrics(of_callgrind(), definitions);
    CHECK(names_of(derived) == Names{"good"});
    return derived;
  };
  CHECK(only_problem(with({{"bad", "Ir / gone + gone", ""}})) ==
        "derived metric bad: the profile has no metric gone; there are: Ir, Dr, D1mr, calls, good");
  CHECK(only_problem(with({{"bad", "Ir /", ""}})) ==
        "derived metric bad: formula `Ir /`: a number, the name of a metric or \"(\" is missing at "
        "character 5");
  CHECK(only_problem(with({{"bad", "Ir / 0", ""}}))
            .find("derived metric bad: formula `Ir / 0`: it "
                  "divides by zero") == 0);
  CHECK(only_problem(with({{"Ir", "Dr", ""}})) ==
        "derived metric Ir: there is a metric of that name: give it another");
  CHECK(only_problem(with({{"time", "Dr", ""}})).find("there is a metric") != std::string::npos);
  CHECK(only_problem(with({{"", "Dr", ""}})).find("a name of 0 bytes") != std::string::npos);
  CHECK(only_problem(with({{std::string(129, 'n'), "Dr", ""}})).find("a name of 129 bytes") !=
        std::string::npos);
  CHECK(only_problem(with({{"a\nb", "Dr", ""}})).find("control characters") != std::string::npos);
  const auto twice = derived_metrics(of_callgrind(), {{"x", "Ir", ""}, {"x", "Dr", ""}});
  CHECK(names_of(twice) == Names{"x"});
  CHECK(only_problem(twice).find("derived metric x: there is a metric of that name") == 0);
}

TEST_CASE("definitions that are made of each other are told of once") {
  const auto self = derived_metrics(of_callgrind(), {{"a", "a + Ir", ""}});
  CHECK(self.metrics.empty());
  CHECK(only_problem(self) == "derived metrics are defined by each other: a -> a");
  const auto cycle = derived_metrics(of_callgrind(), {{"user", "b * 2", ""},
                                                      {"a", "c + Ir", ""},
                                                      {"b", "a", ""},
                                                      {"c", "b", ""},
                                                      {"d", "Ir", ""}});
  CHECK(names_of(cycle) == Names{"d"});
  REQUIRE(cycle.problems.size() == 2);
  CHECK(cycle.problems[0].message == "derived metrics are defined by each other: b -> a -> c -> b");
  CHECK(cycle.problems[1].message == "derived metric user: it is made of b, which cannot be used");
}

TEST_CASE("amplification: no more than so many definitions, and steps of them, are taken") {
  std::vector<DerivedMetricDefinition> many;
  for (int i = 0; i < 100; ++i) many.push_back({"m" + std::to_string(i), "Ir", ""});
  const auto derived = derived_metrics(of_callgrind(), many);
  CHECK(derived.metrics.size() == most_derived_metrics);
  CHECK(only_problem(derived).find("100 derived metrics are defined") == 0);
  std::vector<DerivedMetricDefinition> grown = {{"m0", "Ir", ""}, {"m1", "Dr", ""}};
  for (int i = 2; i < 40; ++i) {
    grown.push_back({"m" + std::to_string(i),
                     "m" + std::to_string(i - 1) + " + m" + std::to_string(i - 2), ""});
  }
  const auto bounded = derived_metrics(of_callgrind(), grown);
  CHECK(bounded.metrics.size() > 10);
  CHECK(bounded.metrics.size() < 20);
  CHECK(bounded.metrics.size() + bounded.problems.size() == grown.size());
}
