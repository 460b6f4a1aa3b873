// Arguments of the tools that answer questions about profiles, for coding agents: `gprof-lsp query`
// and `gprof-lsp mcp`. docs/agents.md describes the tools.
//
// From these descriptions come the options of the command line, the schemas that an agent is shown,
// and the check of what it sends. What is left out has the initial value given here. Times are
// seconds, lines start at 1. Plain values. Thread contract: as for any value.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/comparison/comparison.h"
#include "server/protocol/enumeration.h"
#include "server/protocol/metric_messages.h"

namespace gprof::lsp {

// What of which profile is looked at.
struct PartArguments {
  std::optional<std::string> program;
  std::optional<std::string> metric;
  std::vector<ThreadChoice> thread;
  std::vector<std::uint32_t> process;
  std::string time;
  bool idle = false;

  static void fields(auto& visit, auto& self) {
    visit("program", self.program, "as the tool programs names it; by default the one shown");
    visit.metric(
        "metric", self.metric,
        "a metric of cost, such as cpu, wait, wait.lock, wall, or an event; by default the "
        "profile's first");
    visit.optional("thread", self.thread, "only what these threads did: names or numbers");
    visit.optional("process", self.process, "only what these processes did: numbers");
    visit.optional("time", self.time,
                   "only a stretch of the run, in seconds since it began: 1.5..4, 1.5.. or ..4");
    visit.optional("idle", self.idle,
                   "by the metrics of waiting: idle waiting too, of threads that wait for work");
  }
};

inline constexpr std::uint32_t least_answer_tokens = 200;
inline constexpr std::uint32_t most_answer_tokens = 50'000;

// How much of the answer is given.
struct SizeArguments {
  std::uint32_t max_tokens = 1500;

  static void fields(auto& visit, auto& self) {
    visit.optional("max_tokens", self.max_tokens,
                   "about how long the answer may be; 1500 by default, 200 to 50000");
  }
};

// The same of an answer that is a list.
struct PageArguments {
  SizeArguments size;
  std::string cursor;

  static void fields(auto& visit, auto& self) {
    SizeArguments::fields(visit, self.size);
    visit.optional("cursor", self.cursor, "the member more of an answer: gives what follows it");
  }
};

struct ProgramsArguments {
  PageArguments page;

  static void fields(auto& visit, auto& self) { PageArguments::fields(visit, self.page); }
};

enum class SpotOrder : std::uint8_t { self, total, calls, regression };
template <>
inline constexpr auto wire_names<SpotOrder> = enum_names<SpotOrder>({{SpotOrder::self, "self"},
                                                                     {SpotOrder::total, "total"},
                                                                     {SpotOrder::calls, "calls"},
                                                                     {SpotOrder::regression,
                                                                      "regression"}});

struct HotSpotsArguments {
  std::string match;
  SpotOrder order = SpotOrder::self;
  std::uint32_t limit = 20;
  PartArguments part;
  PageArguments page;

  static void fields(auto& visit, auto& self) {
    visit.optional("match", self.match,
                   "only functions whose names have these letters in this order");
    visit.optional("order", self.order,
                   "self by default; regression: as the comparison with gprof.base ranks them");
    visit.optional("limit", self.limit, "how many functions; 20 by default, at most 1000");
    PartArguments::fields(visit, self.part);
    PageArguments::fields(visit, self.page);
  }
};

struct FunctionArguments {
  std::string function;
  std::uint32_t limit = 8;
  PartArguments part;
  SizeArguments size;

  static void fields(auto& visit, auto& self) {
    visit("function", self.function,
          "its name as another answer has it, with or without parameters, or its linkage name");
    visit.optional("limit", self.limit,
                   "how many callers, callees and lines each; 8 by default, at most 1000");
    PartArguments::fields(visit, self.part);
    SizeArguments::fields(visit, self.size);
  }
};

enum class LineOrder : std::uint8_t { cost, line };
template <>
inline constexpr auto wire_names<LineOrder> = enum_names<LineOrder>({{LineOrder::cost, "cost"},
                                                                     {LineOrder::line, "line"}});

struct LinesArguments {
  std::string file;
  std::uint32_t first = 1;
  std::optional<std::uint32_t> last;
  LineOrder order = LineOrder::cost;
  std::uint32_t limit = 30;
  PartArguments part;
  PageArguments page;

  static void fields(auto& visit, auto& self) {
    visit("file", self.file, "path of a source file, from the workspace's folder or absolute");
    visit.optional("first", self.first, "the first line; 1 by default");
    visit("last", self.last, "the last line; by default the file's last");
    visit.optional("order", self.order, "the costliest lines first by default, or by number");
    visit.optional("limit", self.limit, "how many lines; 30 by default, at most 1000");
    PartArguments::fields(visit, self.part);
    PageArguments::fields(visit, self.page);
  }
};

struct CallPathArguments {
  std::string function;
  std::uint32_t limit = 5;
  PartArguments part;
  PageArguments page;

  static void fields(auto& visit, auto& self) {
    visit("function", self.function, "the function that the paths lead to");
    visit.optional("limit", self.limit, "how many paths; 5 by default, at most 1000");
    PartArguments::fields(visit, self.part);
    PageArguments::fields(visit, self.page);
  }
};

struct TimelineArguments {
  RowsOf rows = RowsOf::threads;
  std::uint32_t columns = 12;
  std::uint32_t limit = 10;
  PartArguments part;
  PageArguments page;

  static void fields(auto& visit, auto& self) {
    visit.optional("rows", self.rows, "threads by default");
    visit.optional("columns", self.columns,
                   "into how many stretches the run is divided; 12 by default, at most 200");
    visit.optional("limit", self.limit, "how many rows; 10 by default, at most 1000");
    PartArguments::fields(visit, self.part);
    PageArguments::fields(visit, self.page);
  }
};

template <>
inline constexpr auto wire_names<ComparisonMetric> =
    enum_names<ComparisonMetric>({{ComparisonMetric::self, "self"},
                                  {ComparisonMetric::total, "total"},
                                  {ComparisonMetric::calls, "calls"}});

struct CompareArguments {
  std::vector<std::string> before;
  std::vector<std::string> after;
  std::string before_executable;
  std::string after_executable;
  ComparisonMetric order = ComparisonMetric::self;
  std::uint32_t limit = 15;
  PartArguments part;
  PageArguments page;

  static void fields(auto& visit, auto& self) {
    visit("before", self.before,
          "profiles of the older side, each one run: files, or folders that the tool record made");
    visit.optional("after", self.after,
                   "profiles of the newer side; by default those of the program shown");
    visit.optional("before_executable", self.before_executable,
                   "what was run before; by default the copy that was kept when it was recorded, "
                   "else the program itself");
    visit.optional("after_executable", self.after_executable,
                   "what was run after; by default the program");
    visit.optional("order", self.order, "what functions are judged and ranked by; self by default");
    visit.optional("limit", self.limit, "how many functions; 15 by default, at most 1000");
    PartArguments::fields(visit, self.part);
    PageArguments::fields(visit, self.page);
  }
};

struct RecordArguments {
  std::vector<std::string> command;
  std::string output;
  std::uint32_t runs = 1;
  bool wait = false;
  std::uint32_t rate = 0;
  double seconds = 60;

  static void fields(auto& visit, auto& self) {
    visit("command", self.command,
          "the program and its arguments, one string each; no shell reads them. It runs in the "
          "workspace's folder");
    visit.optional("output", self.output,
                   "folder in the workspace for the profile, made if missing; by default the "
                   "workspace's folder. Use one for each side of a comparison");
    visit.optional("runs", self.runs, "how often it is run; 1 by default, at most 100");
    visit.optional("wait", self.wait, "measure as well where threads wait, and for what");
    visit.optional("rate", self.rate, "samples a second of CPU time; by default the recorder's");
    visit.optional("seconds", self.seconds,
                   "it is ended after so long, all runs together; 60 by default, at most 3600");
  }
};

}  // namespace gprof::lsp
