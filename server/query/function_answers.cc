// The tools function, lines and call_path.
#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <span>

#include <fmt/format.h>

#include "server/features/call_graph_around.h"
#include "server/features/call_site_query.h"
#include "server/features/cost_text.h"
#include "server/features/flame_graph.h"
#include "server/features/line_metrics.h"
#include "server/features/named_program.h"
#include "server/features/own_location.h"
#include "server/features/shown_name.h"
#include "server/features/wait_text.h"
#include "server/query/answer_room.h"
#include "server/query/answers.h"
#include "server/query/asked_program.h"
#include "server/query/figures.h"

namespace gprof::lsp {
namespace {

constexpr double nanoseconds = 1e9;

std::string source_text(const FileView& view) {
  switch (view.source_state) {
    case SourceState::in_step:
      return {};
    case SourceState::changed:
      return "changed since the build: lines that are new or changed have no figures";
    case SourceState::stale:
      break;
  }
  return "changed beyond recognition since the build: no line has figures";
}

// A row of a line of the build; none where the text has it no longer, or it costs nothing.
std::optional<LineRow> row_of(const FileView& view, LineMeter& meter, const LineCost& cost) {
  const auto line = view.text_line(cost.line);
  if (!line || !view.is_current(*line)) return std::nullopt;
  const LineMetrics metrics = meter.figures(cost);
  LineRow row;
  row.line = *line;
  row.quote = quoted_line(view.text->line(*line));
  row.self = rounded(metrics.self_seconds, metrics.self_error);
  row.self_error = row.self > 0 ? rounded_error(metrics.self_error) : 0;
  if (metrics.total_seconds && *metrics.total_seconds > metrics.self_seconds) {
    row.total = rounded(*metrics.total_seconds, metrics.total_error);
    row.total_error = rounded_error(metrics.total_error);
  }
  row.executions = metrics.executions;
  row.calls = metrics.calls;
  if (cost.waits && tells_waits(view.program)) {
    row.waits = rounded(
        static_cast<double>(shown_waits(view.program, *cost.waits).all().time) / nanoseconds, 0);
  }
  const bool costs = row.self > 0 || row.total.value_or(0) > 0 || row.executions.value_or(0) > 0 ||
                     row.calls.value_or(0) > 0 || row.waits > 0;
  return costs ? std::optional(std::move(row)) : std::nullopt;
}

double weight(const LineRow& row) { return std::max({row.self, row.total.value_or(0), row.waits}); }

void sort_by_cost(std::vector<LineRow>& rows) {
  std::ranges::stable_sort(rows, [](const LineRow& a, const LineRow& b) {
    if (weight(a) != weight(b)) return weight(a) > weight(b);
    return a.executions.value_or(0) + a.calls.value_or(0) >
           b.executions.value_or(0) + b.calls.value_or(0);
  });
}

std::vector<CallRow> rows_of(const ToolContext& context, const CallSitesResult& calls,
                             std::size_t limit) {
  std::vector<CallRow> rows;
  for (const CallSite& site : calls.sites) {
    if (rows.size() == limit) break;
    CallRow& row = rows.emplace_back();
    row.function = quoted_name(site.name);
    row.at = context.paths.place(site.place);
    if (site.calls > 0) row.calls = site.calls;
    if (site.seconds) {
      row.total = rounded(*site.seconds, site.error.value_or(0));
      row.total_error = rounded_error(site.error.value_or(0));
    }
    row.approximate = site.approximate;
    row.recursive = site.recursive;
  }
  return rows;
}

std::vector<WaitRow> rows_of(const LoadedProgram& program, const WaitSummary& summary) {
  const WaitTimes shown = shown_waits(program, summary);
  std::vector<WaitRow> rows;
  for (std::size_t i = 0; i < wait_kind_count; ++i) {
    const WaitTime& time = shown.kinds[i];
    if (time.time == 0) continue;
    rows.push_back({std::string(wait_kind_name(wait_kind_at(i))),
                    rounded(static_cast<double>(time.time) / nanoseconds, 0), time.times,
                    rounded(static_cast<double>(time.longest) / nanoseconds, 0)});
  }
  std::ranges::stable_sort(rows, std::ranges::greater(), &WaitRow::seconds);
  return rows;
}

std::vector<HolderRow> rows_of_holders(const FileView& view, const WaitSummary& summary,
                                       FunctionLocations& locations, const ToolContext& context) {
  std::vector<HolderRow> rows;
  for (const LockHolder& holder : summary.holders) {
    HolderRow& row = rows.emplace_back();
    row.seconds = rounded(static_cast<double>(holder.time) / nanoseconds, 0);
    row.times = holder.times;
    if (!holder.place) continue;
    if (const auto symbol = view.snapshot().symbols().find(*holder.place)) {
      row.function = quoted_name(view.name_of(*symbol));
    }
    if (const auto place = own_location(view.sources(), *holder.place)) {
      row.at = context.paths.place(locations.line(place->file, place->line));
    }
  }
  return rows;
}

// Answers about one function.
class FunctionTeller {
 public:
  FunctionTeller(ToolContext& context, const LoadedProgram& program,
                 const FunctionArguments& arguments)
      : context_(context),
        program_(program),
        arguments_(arguments),
        locations_(locations_in(context, program)) {}

  Expected<FunctionAnswer> answer(const AskedFunction& asked, AnswerRoom room);

 private:
  void tell_figures(const AskedFunction& asked);
  void tell_source(SymbolIndex symbol, AnswerRoom& room);
  void tell_calls(AnswerRoom& room);
  void suggest();
  // Gives the first rows of a list, as far as there is room.
  template <typename Row>
  void give(std::vector<Row> rows, AnswerRoom& room, std::vector<Row>& answer);

  ToolContext& context_;
  const LoadedProgram& program_;
  const FunctionArguments& arguments_;
  FunctionLocations locations_;
  FunctionAnswer answer_;
  bool is_cut_ = false;
};

template <typename Row>
void FunctionTeller::give(std::vector<Row> rows, AnswerRoom& room, std::vector<Row>& answer) {
  if (rows.size() > arguments_.limit) {
    rows.resize(arguments_.limit);
    is_cut_ = true;
  }
  if (!room.give(std::move(rows), answer)) is_cut_ = true;
}

void FunctionTeller::tell_figures(const AskedFunction& asked) {
  const FunctionCosts& profile = program_.snapshot->profile();
  CallGraphQuery query;
  query.roots = asked.symbols;
  query.library = asked.external;
  query.depth = 1;
  query.direction = GraphDirection::callers;
  const CallGraphResult graph =
      call_graph_around(query, locations_, context_.features.settings.demangle);
  if (!graph.root || *graph.root >= graph.nodes.size()) return;
  const CallGraphNode& root = graph.nodes[*graph.root];
  CallGraphWhole whole{root.calls, root.recursive_calls, root.self_seconds, root.child_seconds,
                       root.total_error};
  if (graph.whole) whole = *graph.whole;
  answer_.function = quoted_name(root.function.name);
  if (root.function.uri && root.function.range) {
    answer_.at = context_.paths.place(*root.function.uri, root.function.range->start.line + 1);
  }
  const double rate = profile.ticks_per_second();
  const double self_error =
      asked.external ? profile.seconds(profile.error_in_all_code(whole.self_seconds * rate))
                     : profile.seconds(profile.error_of(whole.self_seconds * rate));
  answer_.self = rounded(whole.self_seconds, self_error);
  answer_.self_error = rounded_error(self_error);
  const double all = profile.seconds(profile.program_ticks());
  answer_.percent = all > 0 ? rounded_percent(whole.self_seconds / all) : 0;
  if (has_totals(program_)) {
    answer_.total = rounded(whole.self_seconds + whole.child_seconds, whole.total_error);
    answer_.total_error = rounded_error(whole.total_error);
  }
  if (profile.has_arcs() && !asked.external) answer_.calls = whole.calls;
  answer_.recursive_calls = whole.recursive_calls;
}

void FunctionTeller::tell_source(SymbolIndex symbol, AnswerRoom& room) {
  const auto found = function_of_symbol(program_.snapshot->sources(), symbol,
                                        context_.features.views.of_program(program_));
  if (!found) {
    answer_.end.notes.emplace_back("Its source was not found, so its lines are not known.");
    return;
  }
  const FileView& view = found->view;
  answer_.source = source_text(view);
  LineMeter meter(view);
  std::vector<LineRow> rows;
  for (const LineCost& cost : view.costs->lines) {
    if (view.costs->function_at(cost.line) != found->function) continue;
    if (auto row = row_of(view, meter, cost)) rows.push_back(std::move(*row));
  }
  sort_by_cost(rows);
  give(std::move(rows), room, answer_.lines);
  if (const auto& waits = found->function->waits; waits && tells_waits(program_)) {
    give(rows_of(program_, *waits), room, answer_.waits);
    give(rows_of_holders(view, *waits, locations_, context_), room, answer_.holders);
  }
  if (changed_since_build(view, *found->function)) {
    answer_.end.notes.emplace_back(
        "The function was changed since the build: its figures are those of the old text.");
  }
}

void FunctionTeller::tell_calls(AnswerRoom& room) {
  const bool demangle = context_.features.settings.demangle;
  const auto calls = [&](bool callers) {
    return rows_of(context_, call_sites_named(arguments_.function, callers, locations_, demangle),
                   arguments_.limit + 1);
  };
  give(calls(true), room, answer_.callers);
  give(calls(false), room, answer_.callees);
}

void FunctionTeller::suggest() {
  const auto hottest = std::ranges::find_if(answer_.callees, [&](const CallRow& callee) {
    return !callee.recursive && callee.total.value_or(0) > answer_.self;
  });
  if (hottest != answer_.callees.end()) {
    answer_.end.next.push_back(
        {"function", about_function(hottest->function), "most of its time is there"});
  }
  if (!answer_.callers.empty()) {
    answer_.end.next.push_back(
        {"call_path", about_function(answer_.function), "by which ways it is reached"});
  }
}

Expected<FunctionAnswer> FunctionTeller::answer(const AskedFunction& asked, AnswerRoom room) {
  answer_.scale = scale_of(program_);
  answer_.end.notes = notes_of(program_);
  tell_figures(asked);
  if (!asked.symbols.empty()) tell_source(asked.symbols.front(), room);
  tell_calls(room);
  if (is_cut_) {
    answer_.end.notes.emplace_back(
        "Some lines or calls are left out: a larger limit and max_tokens show them.");
  }
  suggest();
  return std::move(answer_);
}

// The ways from the root of a flame graph to a function.
class PathFinder {
 public:
  explicit PathFinder(std::set<std::string> names) : names_(std::move(names)) {}

  void visit(const FlameGraphNode& node) {
    path_.push_back(&node);
    if (names_.contains(name_of(node))) {
      // What it calls by itself is part of it.
      take(node);
    } else {
      for (const FlameGraphNode& child : node.children) visit(child);
    }
    path_.pop_back();
  }
  [[nodiscard]] std::vector<PathRow> rows(double program) const;

 private:
  struct Cost {
    double total = 0;
    double variance = 0;
  };
  // As lists have it: a library's function with its library.
  static std::string name_of(const FlameGraphNode& node) {
    if (!node.module || node.name.starts_with('[')) return node.name;
    return fmt::format("{} [{}]", node.name, *node.module);
  }
  void take(const FlameGraphNode& node) {
    std::vector<std::string> names;
    // The root is the program.
    for (const FlameGraphNode* place :
         std::span(path_).subspan(std::min<std::size_t>(1, path_.size()))) {
      names.push_back(quoted_name(name_of(*place)));
    }
    if (names.empty()) return;
    Cost& cost = costs_[names];
    cost.total += node.total;
    cost.variance += node.error.value_or(0) * node.error.value_or(0);
  }

  std::set<std::string> names_;
  std::vector<const FlameGraphNode*> path_;
  std::map<std::vector<std::string>, Cost> costs_;
};

std::vector<PathRow> PathFinder::rows(double program) const {
  std::vector<PathRow> rows;
  for (const auto& [path, cost] : costs_) {
    const double error = std::sqrt(cost.variance);
    PathRow& row = rows.emplace_back();
    row.cost = rounded(cost.total, error);
    row.error = rounded_error(error);
    row.percent = program > 0 ? rounded_percent(cost.total / program) : 0;
    row.path = path;
  }
  std::ranges::stable_sort(rows, std::ranges::greater(), &PathRow::cost);
  return rows;
}

}  // namespace

Expected<FunctionAnswer> answer_function(ToolContext& context, const FunctionArguments& arguments) {
  TRY_ASSIGN(const AnswerRoom room, AnswerRoom::of(arguments.size));
  TRY(check_range("limit", arguments.limit, 1U, most_answer_rows));
  TRY_ASSIGN(const LoadedProgram* program, asked_program(context, arguments.part));
  TRY_ASSIGN(const AskedFunction asked, asked_function(context, *program, arguments.function));
  return FunctionTeller(context, *program, arguments).answer(asked, room);
}

// The context is that of the file.
Expected<LinesAnswer> answer_lines(ToolContext& context, const LinesArguments& arguments) {
  TRY_ASSIGN(AnswerRoom room, AnswerRoom::of(arguments.page.size));
  TRY_ASSIGN(const AnswerPage page, AnswerPage::of(arguments.page, arguments.limit));
  TRY_ASSIGN(const auto path, context.paths.resolve(arguments.file, "arguments.file"));
  const std::uint32_t last = arguments.last.value_or(~std::uint32_t{0});
  TRY(check_range("first", arguments.first, 1U, last));
  TRY(ask_for_part_of_file(context, arguments.part));
  TRY_ASSIGN(const LoadedProgram* program,
             named_program(context.features.views.programs(), arguments.part.program));
  const auto views = context.features.views.all_of_document();
  auto view = std::ranges::find_if(views, [&](const FileView& one) {
    return !arguments.part.program || one.program.snapshot == program->snapshot;
  });
  if (view == views.end()) {
    return wrong_argument("file", fmt::format("a source that was compiled into a profiled program; "
                                              "{} is in none",
                                              context.paths.shown(path)));
  }
  LinesAnswer answer;
  answer.scale = scale_of(view->program);
  answer.file = context.paths.shown(path);
  answer.source = source_text(*view);
  LineMeter meter(*view);
  std::vector<LineRow> rows;
  for (const LineCost& cost : view->costs->lines) {
    auto row = row_of(*view, meter, cost);
    if (row && row->line >= arguments.first && row->line <= last) rows.push_back(std::move(*row));
  }
  if (arguments.order == LineOrder::cost) {
    sort_by_cost(rows);
  } else {
    std::ranges::stable_sort(rows, {}, &LineRow::line);
  }
  give_page(std::move(rows), page, room, answer.lines, answer.end);
  answer.end.notes = notes_of(view->program);
  answer.end.next.push_back(
      {"hot_spots", AnyValue(AnyValue::Object()), "where all of its time goes"});
  return answer;
}

Expected<CallPathAnswer> answer_call_path(ToolContext& context,
                                          const CallPathArguments& arguments) {
  TRY_ASSIGN(AnswerRoom room, AnswerRoom::of(arguments.page.size));
  TRY_ASSIGN(const AnswerPage page, AnswerPage::of(arguments.page, arguments.limit));
  TRY_ASSIGN(const LoadedProgram* program, asked_program(context, arguments.part));
  TRY_ASSIGN(const AskedFunction asked, asked_function(context, *program, arguments.function));
  const bool demangle = context.features.settings.demangle;
  FunctionLocations locations = locations_in(context, *program);
  const FlameGraphResult graph = flame_graph({}, locations, demangle);
  std::set<std::string> names = {arguments.function};
  if (asked.external) names.insert(shown_name(*asked.external, demangle));
  // Frames have parameters where the name alone is that of several functions.
  for (const SymbolIndex symbol : asked.symbols) {
    const DemangledName shown = shown_name(program->snapshot->sources(), symbol);
    names.insert({shown.name, shown.signature});
  }
  PathFinder finder(std::move(names));
  if (graph.root) finder.visit(*graph.root);
  CallPathAnswer answer;
  answer.scale = scale_of(*program);
  answer.scale.totals = graph.basis;
  answer.function = quoted_name(arguments.function);
  answer.end.notes = notes_of(*program);
  std::vector<PathRow> rows = finder.rows(graph.total);
  if (rows.empty()) {
    answer.end.notes.emplace_back(
        "No way to it has a share of the time that the profile could tell.");
  }
  give_page(std::move(rows), page, room, answer.paths, answer.end);
  answer.end.next.push_back(
      {"function", about_function(arguments.function), "its lines, callers and callees"});
  return answer;
}

}  // namespace gprof::lsp
