// Results of this server's own requests, gprof/…: docs/lsp-extensions.md describes them, and a test
// holds the two together.
//
// Lines and characters start at 0. Seconds stand for the profile's own unit. Optional members that
// are empty are left out of the message. Plain values. Thread contract: as for any value.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "server/protocol/basic_types.h"
#include "server/protocol/extensions.h"
#include "server/protocol/reports.h"

namespace gprof::lsp {

// How times with what was called are known; none where the profile has no times.
enum class TimeBasis : std::uint8_t {
  measured,   // from stacks, or counted call by call
  estimated,  // by gprof's propagation
};

// Beside the base: of self times, per run.
struct DifferenceData {
  double base_seconds = 0;
  double difference = 0;
  double error = 0;  // one standard deviation, what may be drift included
  std::string verdict;
};

// What hardly any samples say; neither is known where costs are exact.
struct SampleScale {
  std::optional<double> sample_seconds;   // that one sample stands for
  std::optional<double> unsampled_below;  // what has no sample took less than this, at 95 %
};

// gprof/lineData
enum class LineState : std::uint8_t {
  current,      // the text that was compiled
  changed,      // another text than the compiled one: no figures
  approximate,  // current, and some of its calls may be other lines'
};

struct LineCalleeData {
  std::string name;
  std::uint64_t count = 0;
  bool approximate = false;  // left out when false
  std::optional<double> seconds;
  std::optional<DocumentUri> uri;  // of its definition
  std::optional<Position> position;
};

struct LineData {
  std::uint32_t line = 0;
  LineState state = LineState::current;
  std::optional<std::uint64_t> calls;
  std::optional<std::uint64_t> executions;
  std::optional<double> self_seconds;
  std::optional<double> self_error;
  std::optional<double> total_seconds;
  bool significant = true;                   // a time is more than its error; left out when true
  std::optional<DifferenceData> difference;  // left out where the line is not compared
  double heat = 0;                           // by the metric that was asked for
  std::array<double, 4> heats = {};          // by the number of the Metric
  std::vector<LineCalleeData> callees;       // most calls first; left out when empty
};

// What the lens above a function says, for clients that show it elsewhere.
struct FunctionSummary {
  std::uint32_t line = 0;  // where the function's name stands
  std::string text;
};

enum class LineSource : std::uint8_t { in_step, changed, stale, unknown };

struct LineDataResult {
  std::optional<std::int32_t> version;  // of the open document; null where it is not open
  LineSource source = LineSource::unknown;
  std::optional<std::string> program;
  std::optional<TimeBasis> basis;
  SampleScale scale;
  std::vector<LineData> lines;                            // ascending
  std::optional<std::vector<FunctionSummary>> functions;  // ascending; none unless asked for
};

// gprof/hotSpots
struct HotSpot {
  std::string name;
  std::optional<std::string> signature;
  std::optional<DocumentUri> uri;
  std::optional<Range> range;
  std::optional<std::uint64_t> calls;
  std::uint64_t recursive_calls = 0;  // left out when 0
  double self_seconds = 0;
  double self_error = 0;
  double total_seconds = 0;
  double total_error = 0;
  bool significant = true;  // the time that is ranked by is more than its error; left out when true
  std::optional<DifferenceData> difference;        // left out where nothing is compared
  std::optional<DifferenceData> total_difference;  // of total times
  std::optional<std::int64_t> calls_difference;    // left out where counts depend on the run
  double heat = 0;
  std::uint32_t rank = 0;  // by the metric, from 1
};

struct HotSpotsResult {
  std::string program;
  std::uint64_t generation = 0;
  std::optional<TimeBasis> basis;
  std::string unit;
  double program_seconds = 0;  // what shares are a part of
  SampleScale scale;
  std::vector<HotSpot> spots;
};

// gprof/flatProfile
struct FlatProfileRow {
  std::string name;
  std::string linkage_name;
  double percent = 0;
  double self_seconds = 0;
  double self_error = 0;
  double cumulative_seconds = 0;
  std::optional<std::uint64_t> calls;
  std::optional<DifferenceData> difference;  // left out where nothing is compared
  std::optional<double> self_per_call;
  std::optional<double> total_per_call;
  std::optional<DocumentUri> uri;
  std::optional<std::uint32_t> line;
};

// Samples outside of the program's functions.
struct OtherSamples {
  std::string name;  // "[libc.so.6]"
  std::string kind;  // "module", "collector", "unknown"
  double seconds = 0;
  double error = 0;
  std::optional<double> percent;  // of the program's time; none: the collector is no part of it
};

struct FlatProfileResult {
  std::string program;
  std::uint64_t generation = 0;
  std::optional<TimeBasis> basis;
  std::vector<FlatProfileRow> rows;
  std::uint64_t total = 0;  // rows that there are
  std::string unit;
  double program_seconds = 0;  // what shares are a part of
  double sampled_seconds = 0;  // the same and the collector's
  SampleScale scale;
  std::vector<OtherSamples> others;  // most first
};

// gprof/callGraph
struct CallGraphNode {
  std::uint32_t id = 0;
  std::string name;
  std::string linkage_name;
  std::optional<DocumentUri> uri;
  std::optional<Range> range;
  std::uint64_t calls = 0;
  std::uint64_t recursive_calls = 0;
  double self_seconds = 0;
  double child_seconds = 0;
  double total_error = 0;
  std::optional<std::uint32_t> cycle;
};

struct CallGraphArc {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  std::uint64_t calls = 0;
  double self_seconds = 0;
  double child_seconds = 0;
  double error = 0;             // of both together
  std::vector<Location> sites;  // left out when empty
};

struct CallGraphResult {
  std::string program;
  std::uint64_t generation = 0;
  std::optional<std::uint32_t> root;       // null: no such function
  std::vector<std::uint32_t> other_roots;  // further instances of it; left out when empty
  std::optional<TimeBasis> basis;
  std::vector<CallGraphNode> nodes;
  std::vector<CallGraphArc> arcs;
  SampleScale scale;
  bool truncated = false;
};

// gprof/callSites
struct CallSite {
  std::string name;                    // of the caller, or of the callee
  std::optional<Location> place;       // of the call
  std::vector<Location> alternatives;  // other lines that may have made some; left out when empty
  std::optional<Location> definition;  // of the function of that name
  std::string through;  // code that is not profiled, between the two; left out when empty
  std::uint64_t calls = 0;
  bool approximate = false;  // left out when false
  std::optional<double> seconds;
  std::optional<double> error;
  bool recursive = false;  // left out when false
};

struct CallSitesResult {
  std::string program;
  std::uint64_t generation = 0;
  std::string name;  // of the function; left out when there is none
  std::optional<TimeBasis> basis;
  std::string unit;
  double program_seconds = 0;
  std::vector<CallSite> sites;
  SampleScale scale;
  bool truncated = false;
};

// gprof/cycles
struct CycleMember {
  std::string name;
  std::string linkage_name;
  std::optional<DocumentUri> uri;
  std::optional<Range> range;
  std::uint64_t calls = 0;            // by others, those of the cycle too
  std::uint64_t recursive_calls = 0;  // by itself; left out when 0
  double self_seconds = 0;
  double self_error = 0;
};

struct CallCycle {
  std::uint32_t number = 0;
  std::uint64_t calls = 0;           // from outside
  std::uint64_t internal_calls = 0;  // between different members
  double self_seconds = 0;
  double child_seconds = 0;
  double total_error = 0;            // of both together
  std::uint64_t member_count = 0;    // members that there are
  std::vector<CycleMember> members;  // most time of their own first
};

struct CyclesResult {
  std::string program;
  std::uint64_t generation = 0;
  std::optional<TimeBasis> basis;
  std::vector<CallCycle> cycles;  // most time first
  std::uint64_t total = 0;        // cycles that there are
  std::string unit;
  SampleScale scale;
};

// gprof/flameGraph
struct FlameGraphNode {
  std::string name;
  double total = 0;
  double self = 0;
  std::optional<double> error;       // of the total; none: costs are exact
  std::optional<double> self_error;  // likewise
  double left_out = 0;               // left out when 0
  std::optional<std::string> module;
  std::optional<DocumentUri> uri;
  std::optional<Range> range;
  std::vector<FlameGraphNode> children;  // most time first
};

struct FlameGraphResult {
  std::string program;
  std::uint64_t generation = 0;
  bool measured = false;
  std::string unit;
  SampleScale scale;
  double total = 0;
  std::optional<FlameGraphNode> root;  // null: no program, or no such function
};

// gprof/report
struct ReportResult {
  DocumentUri uri;
  std::string text;
  std::vector<DocumentLink> links;
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
  bool live = false;  // left out when it is not
  std::uint64_t generation = 0;
  ProfileState state = ProfileState::ready;
};

struct ProgramsResult {
  std::vector<ProgramEntry> programs;
};

}  // namespace gprof::lsp
