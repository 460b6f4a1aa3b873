// The comparison as JSON. docs/diff.md is its schema.
#include <cmath>

#include <nlohmann/json.hpp>

#include "server/cli/diff/diff_result.h"
#include "server/features/difference_text.h"
#include "server/features/external_names.h"

namespace gprof::lsp {
namespace {

using OrderedJson = nlohmann::ordered_json;

constexpr int schema_version = 1;

OrderedJson time_json(const TimeChange& change, std::string_view verdict) {
  OrderedJson json = {{"before", change.before},
                      {"beforeError", change.before_error},
                      {"after", change.after},
                      {"afterError", change.after_error},
                      {"difference", change.difference()},
                      {"error", change.error}};
  if (change.before_below > 0) json["beforeBelow"] = change.before_below;
  if (change.after_below > 0) json["afterBelow"] = change.after_below;
  if (change.before > 0) json["ratio"] = change.after / change.before;
  json["probability"] = change.probability;
  json["significant"] = change.significant;
  json["verdict"] = verdict;
  if (change.runs_to_decide) json["runsToDecide"] = *change.runs_to_decide;
  return json;
}

OrderedJson range_json(const CallRange& range) {
  return {{"least", range.least}, {"most", range.most}, {"mean", range.mean}};
}

OrderedJson function_json(const DiffResult& result, const ComparedFunction& function,
                          std::size_t rank) {
  const Comparison& comparison = result.comparison;
  OrderedJson json = {{"rank", rank},
                      {"name", shown_name(comparison, function)},
                      {"linkageName", std::string(comparison.name(function))},
                      {"verdict", shown_verdict(function, result.options.metric)}};
  if (const auto place = definition_of(comparison, function)) {
    json["file"] = place->file;
    json["line"] = place->line;
  }
  if (comparison.has_times()) {
    json["self"] = time_json(function.self, name_of(verdict_of(function, function.self)));
    json["total"] = time_json(function.total, name_of(verdict_of(function, function.total)));
  }
  if (comparison.has_calls()) {
    json["calls"] = {{"before", range_json(function.calls.before)},
                     {"after", range_json(function.calls.after)},
                     {"verdict", name_of(function.calls.verdict)}};
  }
  return json;
}

OrderedJson side_json(const DiffSide& side) {
  return {{"executable", side.executable}, {"profiles", side.profiles}};
}

OrderedJson failures_json(const DiffResult& result) {
  OrderedJson list = OrderedJson::array();
  for (const GateFailure& failure : gate_failures(result)) {
    OrderedJson json = {{"percent", failure.percent}};
    if (failure.function != nullptr) {
      json["function"] = std::string(result.comparison.name(*failure.function));
    }
    list.push_back(std::move(json));
  }
  return list;
}

OrderedJson libraries_json(const Comparison& comparison) {
  OrderedJson list = OrderedJson::array();
  for (const std::size_t index : comparison.ranked_externals()) {
    const ComparedExternal& external = comparison.externals()[index];
    OrderedJson json = {{"name", external_name_with_module(external.code, true)},
                        {"module", external.code.module}};
    if (!external.code.function.empty()) json["linkageName"] = external.code.function;
    json["self"] = time_json(external.self, name_of(verdict_of(external.self)));
    list.push_back(std::move(json));
  }
  return list;
}

OrderedJson lines_json(const DiffResult& result) {
  OrderedJson list = OrderedJson::array();
  for (const ComparedLine& line : result.lines) {
    list.push_back({{"file", line.file},
                    {"lineBefore", line.before},
                    {"line", line.after},
                    {"self", time_json(line.self, name_of(verdict_of(line.self)))}});
  }
  return list;
}

}  // namespace

std::string diff_json(const DiffResult& result) {
  const Comparison& comparison = result.comparison;
  OrderedJson json = {{"schemaVersion", schema_version},
                      {"metric", name_in(metric_names, result.options.metric)},
                      {"unit", std::string(1, comparison.dimension_abbreviation())},
                      {"level", family_level},
                      {"before", side_json(result.options.before)},
                      {"after", side_json(result.options.after)},
                      {"varianceKnown", comparison.variance_known()}};
  if (comparison.has_times()) {
    json["totals"] = comparison.totals_measured() ? "measured" : "estimated";
    const Drift& drift = comparison.drift();
    if (drift.known) json["drift"] = {{"ratio", drift.ratio}, {"error", drift.error}};
    json["program"] = time_json(comparison.program(), name_of(verdict_of(comparison.program())));
  }
  OrderedJson functions = OrderedJson::array();
  std::size_t rank = 0;
  for (const std::size_t index : comparison.ranked(result.options.metric)) {
    functions.push_back(function_json(result, comparison.functions()[index], ++rank));
  }
  json["functions"] = std::move(functions);
  if (comparison.has_times()) json["libraries"] = libraries_json(comparison);
  if (result.options.lines) json["lines"] = lines_json(result);
  if (result.options.fail_over) {
    json["failOver"] = *result.options.fail_over;
    json["failures"] = failures_json(result);
  }
  json["exitStatus"] = exit_status(result);
  json["remarks"] = result.remarks;
  return json.dump(2, ' ', false, OrderedJson::error_handler_t::replace) + "\n";
}

}  // namespace gprof::lsp
