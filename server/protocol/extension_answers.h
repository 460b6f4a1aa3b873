// Results of this server's own requests, gprof/…, except those about calls (graph_answers.h).
// docs/lsp-extensions.md describes them.
//
// Lines and characters start at 0. Seconds stand for the profile's own unit. The texts of members
// become their documentation (tools/describe_protocol.cc). Plain values. Thread contract: as for
// any value.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "server/protocol/basic_types.h"
#include "server/protocol/extensions.h"
#include "server/protocol/metric_messages.h"
#include "server/protocol/reports.h"
#include "server/protocol/settings.h"

namespace gprof::lsp {

// How total times are known; absent if the profile has no times.
enum class TimeBasis : std::uint8_t {
  measured,   // from stacks, or counted call by call
  estimated,  // by gprof's propagation
};
template <>
inline constexpr auto wire_names<TimeBasis> = enum_names<TimeBasis>(
    "TimeBasis", {{TimeBasis::measured, "measured"}, {TimeBasis::estimated, "estimated"}});

// Compared with the base, per run.
struct DifferenceData {
  static constexpr const char* documented_as = "Difference";

  double base_seconds = 0;
  double difference = 0;
  double error = 0;
  Verdict verdict = Verdict::noise;
  std::optional<std::uint64_t> runs_to_decide;

  static void fields(auto& visit, auto& self) {
    visit("baseSeconds", self.base_seconds);
    visit("difference", self.difference, "of a run now, minus a run of the base");
    visit("error", self.error, "one standard deviation, including possible drift");
    visit("verdict", self.verdict);
    visit("runsToDecide", self.runs_to_decide,
          "of noise: with that many runs on each side, a difference of this size would probably be "
          "significant; left out where it is within its error, and above 100");
  }
};

// How far samples can tell; absent if costs are exact. These are members of each answer.
struct SampleScale {
  std::optional<double> sample_seconds;
  std::optional<double> unsampled_below;

  static void fields(auto& visit, auto& self) {
    visit("sampleSeconds", self.sample_seconds,
          "what one sample stands for; left out if costs are exact");
    visit("unsampledBelow", self.unsampled_below,
          "code without samples took less than this, at 95 %; left out if costs are exact");
  }
};

// gprof/lineData
enum class LineState : std::uint8_t {
  current,      // the text that was compiled
  changed,      // another text than the compiled one: no figures
  approximate,  // current, and some of its calls may be other lines'
};
template <>
inline constexpr auto wire_names<LineState> =
    enum_names<LineState>({{LineState::current, "current"},
                           {LineState::changed, "changed"},
                           {LineState::approximate, "approximate"}});

struct LineCalleeData {
  static constexpr const char* documented_as = "LineCallee";

  std::string name;
  std::uint64_t count = 0;
  bool approximate = false;
  std::optional<double> seconds;
  std::optional<DocumentUri> uri;
  std::optional<Position> position;

  static void fields(auto& visit, auto& self) {
    visit("name", self.name);
    visit("count", self.count);
    visit.optional("approximate", self.approximate,
                   "some of these calls may belong to other lines");
    visit("seconds", self.seconds, "total time of these calls");
    visit.uri("uri", self.uri, "of the definition");
    visit("position", self.position);
  }
};

// By every metric, each from 0 to 1.
struct Heats {
  std::array<double, wire_names<ShownMetric>.values.size()> of = {};  // by the number of the Metric

  static void fields(auto& visit, auto& self) {
    for (const auto& [metric, name] : wire_names<ShownMetric>.values) {
      visit(name.data(), self.of[static_cast<std::size_t>(metric)]);
    }
  }
};

// One of the texts that each line has.
struct LineColumn {
  std::string name;
  std::uint32_t width = 0;

  static void fields(auto& visit, auto& self) {
    visit("name", self.name);
    visit("width", self.width, "characters that nearly all of its texts fit into");
  }
};

struct LineData {
  std::uint32_t line = 0;
  LineState state = LineState::current;
  std::optional<std::uint64_t> calls;
  std::optional<std::uint64_t> executions;
  std::optional<double> self_seconds;
  std::optional<double> self_error;
  std::optional<double> total_seconds;
  bool significant = true;
  std::optional<DifferenceData> difference;
  std::optional<DifferenceData> total_difference;
  std::vector<std::string> cells;
  std::uint32_t level = 0;
  double heat = 0;
  Heats heats;
  std::vector<LineCalleeData> callees;
  ValuesByMetric values;

  static void fields(auto& visit, auto& self) {
    visit("line", self.line);
    visit("state", self.state);
    visit("calls", self.calls, "made from this line");
    visit("executions", self.executions,
          "of its basic blocks, where the program was built to count them");
    visit("selfSeconds", self.self_seconds);
    visit("selfError", self.self_error);
    visit("totalSeconds", self.total_seconds, "with what the calls cost");
    visit.optional_true("significant", self.significant,
                        "false: its times are less than their error; left out when true");
    visit("selfDifference", self.difference,
          "beside the base; left out where the line is not compared");
    visit("totalDifference", self.total_difference,
          "with what the line calls; only if both sides have stacks");
    visit.optional("cells", self.cells, "texts by column; empty ones at the end are left out");
    visit("level", self.level, "of heat: 0 for none, 5 for the hottest");
    visit("heat", self.heat, "by the metric");
    visit("heats", self.heats);
    visit.optional("callees", self.callees, "most calls first; at most 100");
    visit.optional("values", self.values, "by the metrics asked for, where the line has any");
  }
};

// What the lens above a function says, for clients that show it elsewhere.
struct FunctionSummary {
  std::uint32_t line = 0;
  std::string text;

  static void fields(auto& visit, auto& self) {
    visit("line", self.line, "of the function's name");
    visit("text", self.text, "of the lens above it");
  }
};

enum class LineSource : std::uint8_t { in_step, changed, stale, unknown };
template <>
inline constexpr auto wire_names<LineSource> =
    enum_names<LineSource>({{LineSource::in_step, "inStep"},
                            {LineSource::changed, "changed"},
                            {LineSource::stale, "stale"},
                            {LineSource::unknown, "unknown"}});

struct LineDataResult {
  std::optional<std::int32_t> version;
  LineSource source = LineSource::unknown;
  bool as_compiled = false;
  std::optional<std::string> program;
  std::optional<TimeBasis> basis;
  SampleScale scale;
  std::vector<LineColumn> columns;
  std::vector<LineData> lines;
  std::optional<std::vector<FunctionSummary>> functions;

  static void fields(auto& visit, auto& self) {
    visit.nullable("version", self.version, "of the document; null where it is not open");
    visit("source", self.source);
    visit.optional("asCompiled", self.as_compiled, "the text is the compiled one, line by line");
    visit("program", self.program, "the figures are this one's");
    visit("basis", self.basis, "of totalSeconds, and of what callees cost");
    visit.optional("columns", self.columns, "of the lines' cells, from left to right");
    visit("lines", self.lines, "ascending; at most 100,000");
    visit("functions", self.functions, "ascending; left out unless asked for");
    SampleScale::fields(visit, self.scale);
  }
};

// gprof/hotSpots
struct HotSpot {
  std::string name;
  std::optional<std::string> signature;
  std::optional<std::string> module;
  std::optional<Location> call_site;
  std::optional<DocumentUri> uri;
  std::optional<Range> range;
  std::optional<std::uint64_t> calls;
  std::uint64_t recursive_calls = 0;
  double self_seconds = 0;
  double self_error = 0;
  double total_seconds = 0;
  double total_error = 0;
  bool significant = true;
  std::optional<DifferenceData> difference;
  std::optional<DifferenceData> total_difference;
  std::optional<std::int64_t> calls_difference;
  double heat = 0;
  std::uint32_t rank = 0;
  ValuesByMetric values;

  static void fields(auto& visit, auto& self) {
    visit("name", self.name);
    visit("signature", self.signature, "if it differs from the name");
    visit("module", self.module,
          "of a function of a library, or of its other code: the library's file");
    visit("callSite", self.call_site,
          "of a library's function: where the program called it most; left out if unknown");
    visit.uri("uri", self.uri);
    visit("range", self.range, "of the name in the definition");
    visit("calls", self.calls, "by other functions; left out if there are none");
    visit.optional("recursiveCalls", self.recursive_calls, "by itself; left out if there are none");
    visit("selfSeconds", self.self_seconds);
    visit("selfError", self.self_error);
    visit("totalSeconds", self.total_seconds);
    visit("totalError", self.total_error);
    visit.optional_true(
        "significant", self.significant,
        "false: the time it is ranked by is less than its error; left out when true");
    visit("selfDifference", self.difference, "from the base; left out if nothing is compared");
    visit("totalDifference", self.total_difference);
    visit("callsDifference", self.calls_difference, "exact; left out if counts depend on the run");
    visit("heat", self.heat);
    visit("rank", self.rank,
          "among all functions, those of libraries included, in the order asked for, from 1");
    visit.optional("values", self.values, "by the metrics asked for, where the function has any");
  }
};

struct HotSpotsResult {
  std::string program;
  std::uint64_t generation = 0;
  std::optional<TimeBasis> basis;
  std::string unit;
  double program_seconds = 0;
  SampleScale scale;
  std::vector<HotSpot> spots;

  static void fields(auto& visit, auto& self) {
    visit("program", self.program, "empty if none is loaded");
    visit("generation", self.generation);
    visit("basis", self.basis);
    visit("unit", self.unit,
          "\"seconds\" unless the profile says otherwise; empty if none is loaded");
    visit("programSeconds", self.program_seconds, "the program's time, of which shares are parts");
    visit("spots", self.spots, "hottest first; those below their error last");
    SampleScale::fields(visit, self.scale);
  }
};

// gprof/flatProfile
struct FlatProfileRow {
  std::string name;
  std::string linkage_name;
  double percent = 0;
  double self_seconds = 0;
  double self_error = 0;
  double total_seconds = 0;
  double total_error = 0;
  double cumulative_seconds = 0;
  std::optional<std::uint64_t> calls;
  std::optional<DifferenceData> difference;
  std::optional<double> self_per_call;
  std::optional<double> total_per_call;
  std::optional<DocumentUri> uri;
  std::optional<std::uint32_t> line;
  ValuesByMetric values;

  static void fields(auto& visit, auto& self) {
    visit("name", self.name, "as written in the source");
    visit("linkageName", self.linkage_name);
    visit("percent", self.percent, "of the program's time");
    visit("selfSeconds", self.self_seconds);
    visit("selfError", self.self_error);
    visit("totalSeconds", self.total_seconds, "with what it called");
    visit("totalError", self.total_error);
    visit("cumulativeSeconds", self.cumulative_seconds, "of this row and all before it");
    visit("calls", self.calls, "by other functions; left out if there are none");
    visit("selfDifference", self.difference, "from the base; left out if nothing is compared");
    visit("selfPerCall", self.self_per_call);
    visit("totalPerCall", self.total_per_call);
    visit.uri("uri", self.uri);
    visit("line", self.line);
    visit.optional("values", self.values, "by the metrics asked for, where the function has any");
  }
};

enum class OtherCode : std::uint8_t { module, collector, unknown };
template <>
inline constexpr auto wire_names<OtherCode> =
    enum_names<OtherCode>({{OtherCode::module, "module"},
                           {OtherCode::collector, "collector"},
                           {OtherCode::unknown, "unknown"}});

// Samples outside the program's own functions.
struct OtherSamples {
  std::string name;
  OtherCode kind = OtherCode::unknown;
  std::optional<std::string> function;
  std::optional<std::string> module;
  double seconds = 0;
  double error = 0;
  std::optional<double> percent;
  std::optional<double> total_seconds;
  std::optional<double> total_error;
  std::optional<DifferenceData> difference;

  static void fields(auto& visit, auto& self) {
    visit("name", self.name,
          "\"snprintf [libc.so.6]\"; \"[libc.so.6]\": its code of no known function; "
          "\"[unknown]\": code of which nothing is known");
    visit("kind", self.kind,
          "module: a library, or a function of it; collector: the profiler itself");
    visit("function", self.function, "of a library, where its symbols name it: \"snprintf\"");
    visit("module", self.module, "\"libc.so.6\"");
    visit("seconds", self.seconds, "in the function itself");
    visit("error", self.error);
    visit("percent", self.percent, "of the program's time, which excludes the collector's");
    visit("totalSeconds", self.total_seconds,
          "with what it called; only of functions, and only if it is measured");
    visit("totalError", self.total_error);
    visit("selfDifference", self.difference,
          "from the base, of libraries; left out if nothing is compared");
  }
};

struct FlatProfileResult {
  std::string program;
  std::uint64_t generation = 0;
  std::optional<TimeBasis> basis;
  std::vector<FlatProfileRow> rows;
  std::uint64_t total = 0;
  std::string unit;
  double program_seconds = 0;
  double sampled_seconds = 0;
  SampleScale scale;
  std::vector<OtherSamples> others;

  static void fields(auto& visit, auto& self) {
    visit("program", self.program, "empty if none is loaded");
    visit("generation", self.generation);
    visit("basis", self.basis, "of totalSeconds and totalPerCall");
    visit("rows", self.rows);
    visit("total", self.total, "number of all rows");
    visit("unit", self.unit, "\"seconds\" unless the profile says otherwise");
    SampleScale::fields(visit, self.scale);
    visit("programSeconds", self.program_seconds,
          "all samples but the collector's: percentages are of this");
    visit("sampledSeconds", self.sampled_seconds, "all samples: of all rows and all others");
    visit("others", self.others, "most time first");
  }
};

// gprof/report
struct ReportResult {
  DocumentUri uri;
  std::string text;
  std::vector<DocumentLink> links;

  static void fields(auto& visit, auto& self) {
    visit.uri("uri", self.uri);
    visit("text", self.text);
    visit("links", self.links, "ordered by range; at most 10,000, to at most 5,000 functions");
  }
};

// gprof/programs
struct ProgramEntry {
  std::string name;
  std::string executable;
  std::vector<std::string> profiles;
  std::vector<std::string> candidates;
  std::optional<std::string> part_of;
  bool selected = false;
  bool rebuilt_since = false;
  bool live = false;
  std::uint64_t generation = 0;
  ProfileState state = ProfileState::ready;

  static void fields(auto& visit, auto& self) {
    visit("name", self.name, "unique");
    visit("executable", self.executable, "path");
    visit("profiles", self.profiles, "paths; their sum is shown");
    visit("candidates", self.candidates, "profiles that could be shown, newest first");
    visit("partOf", self.part_of, "of a shared library: the executable that it was profiled in");
    visit("selected", self.selected);
    visit("rebuiltSince", self.rebuilt_since,
          "the executable is newer than the profile; the last good state is shown");
    visit.optional("live", self.live, "it is running: its counts are a moment old, and rising");
    visit("generation", self.generation);
    visit("state", self.state);
  }
};

struct IdleResult {
  static void fields(auto&, auto&) {}
};

struct ProgramsResult {
  std::vector<ProgramEntry> programs;

  static void fields(auto& visit, auto& self) {
    visit("programs", self.programs, "the one being shown comes first");
  }
};

}  // namespace gprof::lsp
