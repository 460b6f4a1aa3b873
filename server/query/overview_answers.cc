// The tools programs, hot_spots and timeline.
#include <algorithm>
#include <span>

#include <fmt/format.h>

#include "server/discovery/run_text.h"
#include "server/features/cost_text.h"
#include "server/features/hot_spots.h"
#include "server/features/metric_list.h"
#include "server/features/time_line.h"
#include "server/features/wait_text.h"
#include "server/query/answer_room.h"
#include "server/query/answers.h"
#include "server/query/asked_program.h"
#include "server/query/figures.h"

namespace gprof::lsp {
namespace {

constexpr std::size_t most_paths = 5;
constexpr std::size_t most_metrics = 24;
constexpr std::size_t most_problems = 10;
constexpr std::uint32_t most_columns = 200;

// "cpu 1.25 seconds"
std::vector<std::string> metric_texts(const LoadedProgram& program,
                                      const std::vector<DerivedSetting>& derived) {
  std::vector<std::string> texts;
  const auto list = metric_list(program, derived);
  if (!list) return texts;
  for (const MetricDescription& metric : list->metrics) {
    if (texts.size() == most_metrics) break;
    texts.push_back(metric.total
                        ? fmt::format("{} {} {}", metric.name,
                                      rounded(*metric.total, metric.total_error.value_or(0)),
                                      metric.unit)
                        : metric.name);
  }
  return texts;
}

ProgramRow row_of(ToolContext& context, const LoadedProgram& program, bool shown) {
  const Snapshot& snapshot = *program.snapshot;
  const FunctionCosts& profile = snapshot.profile();
  ProgramRow row;
  row.name = quoted_name(program.name);
  row.executable = context.paths.shown(snapshot.image().path());
  const auto& profiles = snapshot.profile_paths();
  for (const std::string& path : std::span(profiles).first(std::min(profiles.size(), most_paths))) {
    row.profiles.push_back(context.paths.shown(path));
  }
  row.shown = shown;
  row.ran = ran_text(snapshot);
  if (profile.has_arcs()) row.calls = profile.counted_calls();
  row.metrics = metric_texts(program, context.features.settings.derived);
  row.threads = snapshot.dimensions().threads.size();
  row.length = rounded(snapshot.dimensions().length, 0);
  row.rebuilt_since = program.rebuilt_since;
  row.running = program.live;
  for (const auto& candidate : program.candidates) {
    const bool is_shown = std::ranges::find(profiles, candidate.string()) != profiles.end();
    if (!is_shown && row.other_profiles.size() < most_paths) {
      row.other_profiles.push_back(context.paths.shown(candidate));
    }
  }
  return row;
}

SpotRow row_of(const ToolContext& context, const HotSpot& spot, const LoadedProgram& program) {
  const FunctionCosts& profile = program.snapshot->profile();
  SpotRow row;
  row.function = quoted_name(spot.name);
  if (spot.uri && spot.range) row.at = context.paths.place(*spot.uri, spot.range->start.line + 1);
  if (row.at.empty()) row.at = context.paths.place(spot.call_site);
  row.self = rounded(spot.self_seconds, spot.self_error);
  row.self_error = rounded_error(spot.self_error);
  const double all = profile.seconds(profile.program_ticks());
  row.percent = all > 0 ? rounded_percent(spot.self_seconds / all) : 0;
  if (has_totals(program) && spot.total_seconds > spot.self_seconds) {
    row.total = rounded(spot.total_seconds, spot.total_error);
    row.total_error = rounded_error(spot.total_error);
  }
  row.calls = spot.calls;
  row.significant = spot.significant;
  if (const auto& change = spot.difference) {
    row.change = SpotChange{rounded(change->base_seconds, change->error),
                            rounded(change->difference, change->error),
                            rounded_error(change->error), change->verdict};
  }
  return row;
}

ShownMetric shown_by(SpotOrder order) {
  switch (order) {
    case SpotOrder::total:
      return ShownMetric::total;
    case SpotOrder::calls:
      return ShownMetric::calls;
    case SpotOrder::self:
    case SpotOrder::regression:
      break;
  }
  return ShownMetric::self;
}

// Where a program mostly waits, that is asked next.
void suggest_waits(const LoadedProgram& program, AnswerEnd& end) {
  if (!tells_waits(program) || waiting_text(*program.snapshot).empty()) return;
  end.next.push_back(
      {"hot_spots",
       AnyValue(AnyValue::Object{{"metric", AnyValue("wait")}, {"order", AnyValue("total")}}),
       "where its threads wait"});
}

}  // namespace

Expected<ProgramsAnswer> answer_programs(ToolContext& context, const ProgramsArguments& arguments) {
  TRY_ASSIGN(AnswerRoom room, AnswerRoom::of(arguments.page.size));
  TRY_ASSIGN(const AnswerPage page, AnswerPage::of(arguments.page, most_answer_rows));
  ProgramsAnswer answer;
  const auto& programs = context.features.views.programs();
  std::vector<ProgramRow> rows;
  for (const LoadedProgram& program : programs) {
    if (rows.size() > page.end()) break;
    rows.push_back(row_of(context, program, &program == &programs.front()));
  }
  give_page(std::move(rows), page, room, answer.programs, answer.end);
  for (const std::string& problem : context.problems) {
    if (answer.problems.size() < most_problems) answer.problems.push_back(quoted_text(problem));
  }
  if (programs.empty()) {
    if (answer.problems.empty()) answer.problems.push_back(no_profile_text(context));
    return answer;
  }
  answer.end.notes = notes_of(programs.front());
  answer.end.next.push_back({"hot_spots", AnyValue(AnyValue::Object()), "where its time goes"});
  suggest_waits(programs.front(), answer.end);
  return answer;
}

Expected<HotSpotsAnswer> answer_hot_spots(ToolContext& context,
                                          const HotSpotsArguments& arguments) {
  TRY_ASSIGN(AnswerRoom room, AnswerRoom::of(arguments.page.size));
  TRY_ASSIGN(const AnswerPage page, AnswerPage::of(arguments.page, arguments.limit));
  TRY_ASSIGN(const LoadedProgram* program, asked_program(context, arguments.part));
  const bool by_regression = arguments.order == SpotOrder::regression;
  if (by_regression && !program->comparison) {
    return wrong_argument("order",
                          "self, total or calls: nothing is compared; the tool compare "
                          "compares two profiles");
  }
  HotSpotsAnswer answer;
  answer.scale = scale_of(*program);
  FunctionLocations locations = locations_in(context, *program);
  const HotSpotsQuery query{shown_by(arguments.order), arguments.match, page.end() + 1,
                            by_regression, nullptr};
  std::vector<SpotRow> rows;
  for (const HotSpot& spot : hot_spots(query, locations, context.features.settings.demangle)) {
    rows.push_back(row_of(context, spot, *program));
  }
  answer.end.notes = notes_of(*program);
  const std::string first = rows.empty() ? std::string() : rows.front().function;
  give_page(std::move(rows), page, room, answer.functions, answer.end);
  if (!first.empty()) {
    answer.end.next.push_back(
        {"function", about_function(first), "its lines, callers and callees"});
  }
  suggest_waits(*program, answer.end);
  return answer;
}

Expected<TimelineAnswer> answer_timeline(ToolContext& context, const TimelineArguments& arguments) {
  TRY_ASSIGN(AnswerRoom room, AnswerRoom::of(arguments.page.size));
  TRY_ASSIGN(const AnswerPage page, AnswerPage::of(arguments.page, arguments.limit));
  TRY(check_range("columns", arguments.columns, 1U, most_columns));
  TRY_ASSIGN(const Selection selection, selection_of(arguments.part));
  TRY_ASSIGN(const LoadedProgram* program, asked_program(context, arguments.part));
  TimelineParams params;
  params.rows = arguments.rows;
  params.columns = arguments.columns;
  params.from = selection.from;
  params.to = selection.to;
  TRY_ASSIGN(const TimelineResult line, time_line(*program, params));
  TimelineAnswer answer;
  answer.scale = scale_of(*program);
  answer.from = rounded(line.from, 0);
  answer.to = rounded(line.to, 0);
  answer.column = rounded((line.to - line.from) / arguments.columns, 0);
  std::vector<ActivityRow> rows;
  constexpr double digits = 1e-2;
  const auto short_values = [](std::vector<double> values) {
    for (double& value : values) value = value == 0 ? 0 : rounded(value, digits * value);
    return values;
  };
  for (const TimelineRowData& row : line.rows) {
    ActivityRow& made = rows.emplace_back();
    made.process = row.process;
    made.thread = row.thread;
    made.name = quoted_name(row.name);
    made.total = rounded(row.total, 0);
    made.values = short_values(row.values);
    for (const TimelineActivity& activity : row.activities) {
      made.activities.push_back(
          {std::string(name_of(activity.name)), short_values(activity.values)});
    }
  }
  std::ranges::stable_sort(rows, std::ranges::greater(), &ActivityRow::total);
  if (line.untimed > 0) {
    answer.end.notes.push_back(fmt::format("Of {} {} it is not known when they arose.",
                                           rounded(line.untimed, 0), line.unit));
  }
  give_page(std::move(rows), page, room, answer.rows, answer.end);
  answer.end.next.push_back(
      {"hot_spots",
       AnyValue(AnyValue::Object{
           {"time", AnyValue(fmt::format("{}..{}", answer.from, answer.from + answer.column))}}),
       "what ran in a stretch of the run"});
  return answer;
}

}  // namespace gprof::lsp
