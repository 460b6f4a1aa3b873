// What messages say of metrics, and of the part of a profile that is looked at: processes, threads,
// a stretch of time. docs/lsp-extensions.md describes them.
//
// Times of selections and time lines are seconds since the run began; figures are in the metric's
// unit. The texts of members become their documentation (tools/describe_protocol.cc). Plain values.
// Thread contract: as for any value.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "engine/activity.h"
#include "engine/metrics/metric.h"
#include "engine/selection.h"
#include "server/protocol/enumeration.h"

namespace gprof::lsp {

// A thread by its number, or all threads of a name.
using ThreadChoice = std::variant<std::uint32_t, std::string>;

struct SelectionData {
  static constexpr const char* documented_as = "Selection";

  std::vector<std::uint32_t> processes;
  std::vector<ThreadChoice> threads;
  std::optional<double> from;
  std::optional<double> to;
  std::optional<bool> idle;

  static void fields(auto& visit, auto& self) {
    visit.optional("processes", self.processes, "numbers of gprof/metrics; without them, all");
    visit.optional("threads", self.threads, "numbers, or names of threads; without them, all");
    visit("from", self.from, "seconds since the run began; included");
    visit("to", self.to, "not included");
    visit("idle", self.idle, "true: idle waiting too, whatever gprof.idle says");
  }
  friend bool operator==(const SelectionData&, const SelectionData&) = default;
};

[[nodiscard]] Selection selection_of(const SelectionData& data);
[[nodiscard]] SelectionData selection_data(const Selection& selection);

// What a request says of the part that it is about: nothing, null (all), or a part.
using SelectionOverride = std::optional<std::optional<SelectionData>>;
inline constexpr const char* selection_member_text =
    "what of the profile counts; null: all; without it, what gprof.setSelection chose";
inline constexpr const char* cost_member_text =
    "a metric of cost, in whose unit all figures are; without it, the setting gprof.metric";

// A figure by one metric, with what lies beneath where that is known.
struct MetricValues {
  double self = 0;
  std::optional<double> self_error;
  std::optional<double> total;
  std::optional<double> total_error;

  static void fields(auto& visit, auto& self) {
    visit("self", self.self, "of the code itself; of counts, the count");
    visit("selfError", self.self_error, "one standard deviation; left out if it is exact");
    visit("total", self.total, "with what it called");
    visit("totalError", self.total_error);
  }
  friend bool operator==(const MetricValues&, const MetricValues&) = default;
};
using ValuesByMetric = std::map<std::string, MetricValues>;

// gprof/metrics
template <>
inline constexpr auto wire_names<MetricKind> =
    enum_names<MetricKind>({{MetricKind::sampled, "sampled"},
                            {MetricKind::exact, "exact"},
                            {MetricKind::derived, "derived"}});

struct MetricsParams {
  std::optional<std::string> program;

  static void fields(auto& visit, auto& self) { visit("program", self.program); }
};

struct MetricDescription {
  std::string name;
  std::string label;
  std::string unit;
  MetricKind kind = MetricKind::sampled;
  std::string origin;
  std::optional<double> total;
  std::optional<double> total_error;

  static void fields(auto& visit, auto& self) {
    visit("name", self.name, "for gprof.metric and for every member that names a metric");
    visit("label", self.label, "for lists: \"CPU time\"");
    visit("unit", self.unit);
    visit("kind", self.kind, "derived: a formula of others");
    visit("origin", self.origin,
          "how its figures were obtained: \"sampled 100 times per CPU second\"; or the formula");
    visit("total", self.total, "of what is selected; left out where it has none");
    visit("totalError", self.total_error);
  }
};

struct ProfiledProcess {
  std::uint32_t process = 0;
  std::string name;
  double from = 0;
  double to = 0;

  static void fields(auto& visit, auto& self) {
    visit("process", self.process, "its number; from 1 where that is not known");
    visit("name", self.name, "of its profile's file");
    visit("from", self.from, "seconds since the run began");
    visit("to", self.to, "as from where it is not known");
  }
};

struct ProfiledThread {
  std::uint32_t process = 0;
  std::uint32_t thread = 0;
  std::string name;
  double cpu = 0;

  static void fields(auto& visit, auto& self) {
    visit("process", self.process);
    visit("thread", self.thread);
    visit("name", self.name, "empty if it has none");
    visit("cpu", self.cpu, "what it cost, by the first metric");
  }
};

struct MetricsResult {
  std::string program;
  std::uint64_t generation = 0;
  std::vector<MetricDescription> metrics;
  std::vector<ProfiledProcess> processes;
  std::vector<ProfiledThread> threads;
  double length = 0;
  double slice_width = 0;
  std::vector<std::string> problems;

  static void fields(auto& visit, auto& self) {
    visit("program", self.program, "empty if none is loaded");
    visit("generation", self.generation);
    visit("metrics", self.metrics, "of cost, then counts, then derived ones");
    visit("processes", self.processes);
    visit("threads", self.threads, "empty if they are not told apart");
    visit("length", self.length, "seconds that the run took; 0 if unknown");
    visit("sliceWidth", self.slice_width, "seconds; 0: it is not known when samples were taken");
    visit.optional("problems", self.problems, "formulas that cannot be used, and why");
  }
};

// gprof/timeline
enum class RowsOf : std::uint8_t { threads, processes };
template <>
inline constexpr auto wire_names<RowsOf> = enum_names<RowsOf>({{RowsOf::threads, "threads"},
                                                               {RowsOf::processes, "processes"}});

struct TimelineParams {
  std::optional<std::string> program;
  std::optional<std::string> metric;
  RowsOf rows = RowsOf::threads;
  std::optional<double> from;
  std::optional<double> to;
  std::uint32_t columns = 200;
  SelectionOverride selection;

  static void fields(auto& visit, auto& self) {
    visit("program", self.program);
    visit.metric("metric", self.metric, cost_member_text);
    visit("rows", self.rows);
    visit("from", self.from, "seconds since the run began; its beginning by default");
    visit("to", self.to, "its end by default");
    visit.optional("columns", self.columns, "200 by default; at most 4,096");
    visit.or_null("selection", self.selection, selection_member_text);
  }
};

template <>
inline constexpr auto wire_names<Activity> = enum_names<Activity>("Activity",
                                                                  {{Activity::running, "running"},
                                                                   {Activity::lock, "lock"},
                                                                   {Activity::io, "io"},
                                                                   {Activity::sleep, "sleep"},
                                                                   {Activity::child, "child"},
                                                                   {Activity::other, "other"},
                                                                   {Activity::cpu, "cpu"},
                                                                   {Activity::idle, "idle"}});

struct TimelineActivity {
  Activity name = Activity::running;
  std::vector<double> values;

  static void fields(auto& visit, auto& self) {
    visit("name", self.name);
    visit("values", self.values, "by column");
  }
};

struct TimelineRowData {
  static constexpr const char* documented_as = "TimelineRow";

  std::uint32_t process = 0;
  std::optional<std::uint32_t> thread;
  std::string name;
  double total = 0;
  std::vector<double> values;
  std::vector<TimelineActivity> activities;

  static void fields(auto& visit, auto& self) {
    visit("process", self.process);
    visit("thread", self.thread, "in rows of threads");
    visit("name", self.name, "empty if it has none");
    visit("total", self.total, "of all columns");
    visit("values", self.values, "by column");
    visit.optional("activities", self.activities,
                   "by wall, wait or a part of it: what the thread did; those that occur");
  }
};

struct TimelineResult {
  std::string program;
  std::uint64_t generation = 0;
  std::string metric;
  std::string unit;
  double from = 0;
  double to = 0;
  std::vector<TimelineRowData> rows;
  std::uint64_t omitted_rows = 0;
  double untimed = 0;

  static void fields(auto& visit, auto& self) {
    visit("program", self.program, "empty if none is loaded");
    visit("generation", self.generation);
    visit("metric", self.metric, "of cost");
    visit("unit", self.unit, "of totals and values");
    visit("from", self.from, "of the first column");
    visit("to", self.to, "where the last one ends");
    visit("rows", self.rows, "as gprof/metrics lists them; at most 1,000");
    visit.optional("omittedRows", self.omitted_rows, "those that cost least");
    visit.optional("untimed", self.untimed, "cost of which it is not known when it arose");
  }
};

}  // namespace gprof::lsp
