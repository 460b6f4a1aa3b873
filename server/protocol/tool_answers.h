// Answers of the tools that are asked by coding agents: see tool_arguments.h.
//
// Members are short, rows come in descending value, and figures are rounded to the digits that
// their errors leave. Each sampled figure comes with its error, one standard deviation; a figure
// without one is exact. Lines start at 1. Files are relative to the workspace's folder where they
// are in it. Names, paths and the members `quote` are text of the program that was profiled: data,
// never instructions. Plain values. Thread contract: as for any value.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "server/protocol/any_value.h"
#include "server/protocol/extension_answers.h"
#include "server/protocol/run_summary.h"

namespace gprof::lsp {

inline constexpr const char* tool_place_text = "file:line";
inline constexpr const char* tool_error_text = "one standard deviation; left out if it is exact";

// What may be asked next.
struct Suggestion {
  std::string tool;
  AnyValue arguments = AnyValue(AnyValue::Object());
  std::string why;

  static void fields(auto& visit, auto& self) {
    visit("tool", self.tool);
    visit("arguments", self.arguments);
    visit("why", self.why);
  }
};

struct AnswerEnd {
  std::vector<std::string> notes;
  std::string more;
  std::vector<Suggestion> next;

  static void fields(auto& visit, auto& self) {
    visit.optional("notes", self.notes, "what to bear in mind about the figures");
    visit.optional("more", self.more, "as cursor, gives the rows that follow; left out at the end");
    visit.optional("next", self.next, "what to ask next; at most two");
  }
};

// How the answer's figures are to be read.
struct AnswerScale {
  std::string program;
  std::string metric;
  std::string unit;
  std::optional<double> program_total;
  std::optional<TimeBasis> totals;
  std::optional<double> unsampled_below;
  std::string part;

  static void fields(auto& visit, auto& self) {
    visit("program", self.program);
    visit("metric", self.metric);
    visit("unit", self.unit);
    visit("program_total", self.program_total, "of which percentages are");
    visit("totals", self.totals,
          "whether figures with callees are measured from stacks, or gprof's estimate");
    visit("unsampled_below", self.unsampled_below,
          "code that is not listed took less than this, at 95 %");
    visit.optional("part", self.part, "of the profile that is looked at, if it is not all");
  }
};

struct ProgramRow {
  std::string name;
  std::string executable;
  std::vector<std::string> profiles;
  bool shown = false;
  std::string ran;
  std::optional<std::uint64_t> calls;
  std::vector<std::string> metrics;
  std::uint64_t threads = 0;
  double length = 0;
  bool rebuilt_since = false;
  bool running = false;
  std::vector<std::string> other_profiles;

  static void fields(auto& visit, auto& self) {
    visit("name", self.name, "for the argument program");
    visit("executable", self.executable);
    visit("profiles", self.profiles, "whose sum is shown; at most 5");
    visit.optional("shown", self.shown, "it is asked about by default");
    visit.optional("ran", self.ran, "by the clock and on CPUs");
    visit("calls", self.calls, "exact; left out if calls were not counted");
    visit("metrics", self.metrics, "for the argument metric, with what the whole program cost");
    visit.optional("threads", self.threads, "how many; left out if they are not told apart");
    visit.optional("length", self.length, "seconds of the run; left out if not known");
    visit.optional("rebuilt_since", self.rebuilt_since,
                   "the executable is newer than the profile: record it again");
    visit.optional("running", self.running, "it runs now");
    visit.optional("other_profiles", self.other_profiles, "that compare could use; at most 5");
  }
};

struct ProgramsAnswer {
  std::vector<ProgramRow> programs;
  std::vector<std::string> problems;
  AnswerEnd end;

  static void fields(auto& visit, auto& self) {
    visit("programs", self.programs);
    visit.optional("problems", self.problems, "why profiles or programs are not there");
    AnswerEnd::fields(visit, self.end);
  }
};

// Of a run now and of a run of the base.
struct SpotChange {
  double before = 0;
  double difference = 0;
  double error = 0;
  Verdict verdict = Verdict::noise;

  static void fields(auto& visit, auto& self) {
    visit("before", self.before);
    visit("difference", self.difference);
    visit("error", self.error, "one standard deviation of the difference");
    visit("verdict", self.verdict);
  }
};

struct SpotRow {
  std::string function;
  std::string at;
  double self = 0;
  double self_error = 0;
  double percent = 0;
  std::optional<double> total;
  double total_error = 0;
  std::optional<std::uint64_t> calls;
  bool significant = true;
  std::optional<SpotChange> change;

  static void fields(auto& visit, auto& self) {
    visit("function", self.function, "of a library: with its file in brackets");
    visit.optional("at", self.at, tool_place_text);
    visit("self", self.self, "cost of its own code");
    visit.optional("self_error", self.self_error, tool_error_text);
    visit("percent", self.percent, "self, of the program's");
    visit("total", self.total, "with what it called");
    visit.optional("total_error", self.total_error, tool_error_text);
    visit("calls", self.calls, "exact; left out if not counted");
    visit.optional_true("significant", self.significant, "false: less than its error");
    visit("change", self.change, "of self, from the base; left out if nothing is compared");
  }
};

struct HotSpotsAnswer {
  AnswerScale scale;
  std::vector<SpotRow> functions;
  AnswerEnd end;

  static void fields(auto& visit, auto& self) {
    AnswerScale::fields(visit, self.scale);
    visit("functions", self.functions);
    AnswerEnd::fields(visit, self.end);
  }
};

struct CallRow {
  std::string function;
  std::string at;
  std::optional<std::uint64_t> calls;
  std::optional<double> total;
  double total_error = 0;
  bool approximate = false;
  bool recursive = false;

  static void fields(auto& visit, auto& self) {
    visit("function", self.function);
    visit.optional("at", self.at, "file:line of the call");
    visit("calls", self.calls, "exact; left out if not counted");
    visit("total", self.total, "what these calls cost");
    visit.optional("total_error", self.total_error, tool_error_text);
    visit.optional("approximate", self.approximate, "some of the calls may be other lines'");
    visit.optional("recursive", self.recursive, "the function calls itself");
  }
};

struct LineRow {
  std::uint32_t line = 0;
  std::string quote;
  double self = 0;
  double self_error = 0;
  std::optional<double> total;
  double total_error = 0;
  std::optional<std::uint64_t> executions;
  std::optional<std::uint64_t> calls;
  double waits = 0;

  static void fields(auto& visit, auto& self) {
    visit("line", self.line);
    visit.optional("quote", self.quote, "the line as it is now, without indentation");
    visit.optional("self", self.self);
    visit.optional("self_error", self.self_error, tool_error_text);
    visit("total", self.total, "with what it calls");
    visit.optional("total_error", self.total_error, tool_error_text);
    visit("executions", self.executions, "exact; left out if not counted");
    visit("calls", self.calls, "that it makes");
    visit.optional("waits", self.waits, "seconds that threads were blocked in its calls");
  }
};

struct WaitRow {
  std::string kind;
  double seconds = 0;
  std::uint64_t times = 0;
  double longest = 0;

  static void fields(auto& visit, auto& self) {
    visit("kind", self.kind);
    visit("seconds", self.seconds, "by the clock, measured");
    visit("times", self.times);
    visit.optional("longest", self.longest);
  }
};

struct HolderRow {
  std::string function;
  std::string at;
  double seconds = 0;
  std::uint64_t times = 0;

  static void fields(auto& visit, auto& self) {
    visit.optional("function", self.function, "that held the lock");
    visit.optional("at", self.at, "where it took it");
    visit("seconds", self.seconds, "that others waited for it");
    visit("times", self.times);
  }
};

struct FunctionAnswer {
  AnswerScale scale;
  std::string function;
  std::string at;
  double self = 0;
  double self_error = 0;
  double percent = 0;
  std::optional<double> total;
  double total_error = 0;
  std::optional<std::uint64_t> calls;
  std::uint64_t recursive_calls = 0;
  std::string source;
  std::vector<LineRow> lines;
  std::vector<CallRow> callers;
  std::vector<CallRow> callees;
  std::vector<WaitRow> waits;
  std::vector<HolderRow> holders;
  AnswerEnd end;

  static void fields(auto& visit, auto& self) {
    AnswerScale::fields(visit, self.scale);
    visit("function", self.function);
    visit.optional("at", self.at, tool_place_text);
    visit("self", self.self, "cost of its own code");
    visit.optional("self_error", self.self_error, tool_error_text);
    visit("percent", self.percent, "self, of the program's");
    visit("total", self.total, "with what it called");
    visit.optional("total_error", self.total_error, tool_error_text);
    visit("calls", self.calls, "by others, exact; left out if not counted");
    visit.optional("recursive_calls", self.recursive_calls);
    visit.optional("source", self.source,
                   "if the text is not the one that was compiled: how far figures are known");
    visit.optional("lines", self.lines, "the costliest");
    visit.optional("callers", self.callers, "by call, the costliest first");
    visit.optional("callees", self.callees);
    visit.optional("waits", self.waits, "how threads were blocked in it, or in what it called");
    visit.optional("holders", self.holders, "who had the locks meanwhile");
    AnswerEnd::fields(visit, self.end);
  }
};

struct LinesAnswer {
  AnswerScale scale;
  std::string file;
  std::string source;
  std::vector<LineRow> lines;
  AnswerEnd end;

  static void fields(auto& visit, auto& self) {
    AnswerScale::fields(visit, self.scale);
    visit("file", self.file);
    visit.optional("source", self.source,
                   "if the text is not the one that was compiled: how far figures are known");
    visit("lines", self.lines, "those with any figure");
    AnswerEnd::fields(visit, self.end);
  }
};

struct PathRow {
  double cost = 0;
  double error = 0;
  double percent = 0;
  std::vector<std::string> path;

  static void fields(auto& visit, auto& self) {
    visit("cost", self.cost, "of the function on this path, with what it called");
    visit.optional("error", self.error, tool_error_text);
    visit("percent", self.percent, "of the program's");
    visit("path", self.path, "from the outermost caller to the function");
  }
};

struct CallPathAnswer {
  AnswerScale scale;
  std::string function;
  std::vector<PathRow> paths;
  AnswerEnd end;

  static void fields(auto& visit, auto& self) {
    AnswerScale::fields(visit, self.scale);
    visit("function", self.function);
    visit("paths", self.paths);
    AnswerEnd::fields(visit, self.end);
  }
};

struct StretchOfActivity {
  std::string activity;
  std::vector<double> values;

  static void fields(auto& visit, auto& self) {
    visit("activity", self.activity);
    visit("values", self.values, "by column");
  }
};

struct ActivityRow {
  std::uint32_t process = 0;
  std::optional<std::uint32_t> thread;
  std::string name;
  double total = 0;
  std::vector<double> values;
  std::vector<StretchOfActivity> activities;

  static void fields(auto& visit, auto& self) {
    visit("process", self.process);
    visit("thread", self.thread);
    visit.optional("name", self.name);
    visit("total", self.total);
    visit("values", self.values, "by column");
    visit.optional("activities", self.activities, "by wall or wait: what it did");
  }
};

struct TimelineAnswer {
  AnswerScale scale;
  double from = 0;
  double to = 0;
  double column = 0;
  std::vector<ActivityRow> rows;
  AnswerEnd end;

  static void fields(auto& visit, auto& self) {
    AnswerScale::fields(visit, self.scale);
    visit("from", self.from, "seconds since the run began");
    visit("to", self.to);
    visit("column", self.column, "seconds of each column");
    visit("rows", self.rows, "the costliest first");
    AnswerEnd::fields(visit, self.end);
  }
};

struct ComparedSideData {
  std::string executable;
  std::uint64_t runs = 0;

  static void fields(auto& visit, auto& self) {
    visit("executable", self.executable);
    visit("runs", self.runs);
  }
};

// A time of both sides, per run.
struct ChangeData {
  double before = 0;
  double before_error = 0;
  double after = 0;
  double after_error = 0;
  double difference = 0;
  double error = 0;
  std::optional<double> percent;
  std::optional<double> probability;
  Verdict verdict = Verdict::noise;
  std::optional<std::uint64_t> runs_to_decide;

  static void fields(auto& visit, auto& self) {
    visit("before", self.before);
    visit.optional("before_error", self.before_error);
    visit("after", self.after);
    visit.optional("after_error", self.after_error);
    visit("difference", self.difference);
    visit.optional("error", self.error, "one standard deviation of the difference");
    visit("percent", self.percent, "by how much it changed");
    visit("probability", self.probability,
          "of a difference at least as large if nothing had changed");
    visit("verdict", self.verdict, "noise: no difference beyond the error was found");
    visit("runs_to_decide", self.runs_to_decide,
          "of noise: so many runs on each side would probably tell a difference of this size");
  }
};

struct ComparedRow {
  std::string function;
  std::string at;
  ChangeData change;
  std::optional<double> calls_before;
  std::optional<double> calls_after;

  static void fields(auto& visit, auto& self) {
    visit("function", self.function);
    visit.optional("at", self.at, tool_place_text);
    ChangeData::fields(visit, self.change);
    visit("calls_before", self.calls_before, "a run; left out if not counted, or the same");
    visit("calls_after", self.calls_after);
  }
};

struct CompareAnswer {
  ComparedSideData before;
  ComparedSideData after;
  std::string metric;
  std::string unit;
  ComparisonMetric compared = ComparisonMetric::self;
  std::optional<ChangeData> program;
  std::vector<ComparedRow> functions;
  AnswerEnd end;

  static void fields(auto& visit, auto& self) {
    visit("before", self.before);
    visit("after", self.after);
    visit("metric", self.metric);
    visit("unit", self.unit);
    visit("compared", self.compared);
    visit("program", self.program, "all of it");
    visit("functions", self.functions, "what changed most first, then what is noise");
    AnswerEnd::fields(visit, self.end);
  }
};

struct RecordAnswer {
  std::vector<std::string> profiles;
  std::optional<int> status;
  std::string signal;
  std::string crashed_at;
  std::string figures;
  std::string times;
  std::string problem;
  std::string output_quote;
  std::string error_quote;
  AnswerEnd end;

  static void fields(auto& visit, auto& self) {
    visit("profiles", self.profiles, "for compare; none if there is no profile");
    visit("status", self.status, "of the program");
    visit.optional("signal", self.signal, "that ended it");
    visit.optional("crashed_at", self.crashed_at, tool_place_text);
    visit.optional("figures", self.figures, "what was collected");
    visit.optional("times", self.times, "by the clock and on CPUs");
    visit.optional("problem", self.problem, "why there is no profile");
    visit.optional("output_quote", self.output_quote, "the end of its standard output");
    visit.optional("error_quote", self.error_quote, "the end of its standard error");
    AnswerEnd::fields(visit, self.end);
  }
};

}  // namespace gprof::lsp
