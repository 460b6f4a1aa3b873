// Regressions as SARIF 2.1.0 (OASIS, "Static Analysis Results Interchange Format"), which code
// hosts show at the line.
#include <filesystem>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "server/cli/diff/diff_result.h"
#include "server/documents/line_hash.h"
#include "server/protocol/uri.h"

namespace gprof::lsp {
namespace {

namespace fs = std::filesystem;
using OrderedJson = nlohmann::ordered_json;

constexpr std::string_view root_name = "%SRCROOT%";

struct Rule {
  std::string_view id;
  std::string_view name;
  std::string_view text;
};

constexpr Rule regression_rule = {"regression", "FunctionRegressed",
                                  "A function costs significantly more than in the older build."};
constexpr Rule program_rule = {"program-regression", "ProgramRegressed",
                               "The program takes significantly more time than the older build."};
constexpr Rule change_rule = {"change", "FunctionChanged",
                              "A function costs significantly less than in the older build, or is "
                              "new."};

OrderedJson rule_json(const Rule& rule, std::string_view level) {
  return {{"id", rule.id},
          {"name", rule.name},
          {"shortDescription", {{"text", rule.text}}},
          {"defaultConfiguration", {{"level", level}}}};
}

class SarifWriter {
 public:
  SarifWriter(const DiffResult& result, const std::string& root)
      : result_(result), comparison_(result.comparison), root_(root) {}

  std::string write();

 private:
  [[nodiscard]] OrderedJson location(const ComparedFunction& function) const;
  [[nodiscard]] OrderedJson artifact(const std::string& file) const;
  [[nodiscard]] std::string message(const ComparedFunction& function) const;
  [[nodiscard]] OrderedJson properties(const ComparedFunction& function) const;
  void add(const Rule& rule, std::string_view level, const ComparedFunction& function);
  void add_program(bool failed);

  const DiffResult& result_;
  const Comparison& comparison_;
  const fs::path root_;
  OrderedJson results_ = OrderedJson::array();
};

OrderedJson SarifWriter::artifact(const std::string& file) const {
  const fs::path relative = fs::path(file).lexically_relative(root_);
  if (!relative.empty() && *relative.begin() != "..") {
    return {{"uri", percent_encoded(relative.generic_string(), "/")}, {"uriBaseId", root_name}};
  }
  return {{"uri", fs::path(file).is_absolute() ? uri_from_path(file) : percent_encoded(file, "/")}};
}

OrderedJson SarifWriter::location(const ComparedFunction& function) const {
  OrderedJson location = {{"logicalLocations",
                           {{{"name", shown_name(comparison_, function)},
                             {"decoratedName", std::string(comparison_.name(function))},
                             {"kind", "function"}}}}};
  const auto place = definition_of(comparison_, function);
  if (place && place->in_new_build) {
    location["physicalLocation"] = {{"artifactLocation", artifact(place->file)},
                                    {"region", {{"startLine", place->line}}}};
  }
  return location;
}

std::string SarifWriter::message(const ComparedFunction& function) const {
  const std::string name = shown_name(comparison_, function);
  if (result_.options.metric == ComparisonMetric::calls) {
    return fmt::format("{}: {:.0f} calls, before {:.0f}", name, function.calls.after.mean,
                       function.calls.before.mean);
  }
  const TimeChange& time = function.time(result_.options.metric);
  const char unit = comparison_.dimension_abbreviation();
  return fmt::format(
      "{}: {} time {:.3f} {}, before {:.3f} {}: {:+.3f} ± {:.3f} {}{}", name,
      result_.options.metric == ComparisonMetric::total
          ? (comparison_.totals_measured() ? "total (measured)" : "total (estimated)")
          : "self",
      time.after, unit, time.before, unit, time.difference(), time.error, unit,
      time.before > 0 ? fmt::format(" ({:+.0f} %)", time.difference() / time.before * 100) : "");
}

OrderedJson SarifWriter::properties(const ComparedFunction& function) const {
  if (result_.options.metric == ComparisonMetric::calls) {
    return {{"callsBefore", function.calls.before.mean}, {"callsAfter", function.calls.after.mean}};
  }
  const TimeChange& time = function.time(result_.options.metric);
  return {
      {"before", time.before},          {"beforeError", time.before_error}, {"after", time.after},
      {"afterError", time.after_error}, {"difference", time.difference()},  {"error", time.error},
      {"probability", time.probability}};
}

void SarifWriter::add(const Rule& rule, std::string_view level, const ComparedFunction& function) {
  const auto place = definition_of(comparison_, function);
  const std::string key =
      fmt::format("{}\n{}\n{}", rule.id, comparison_.name(function),
                  place ? fs::path(place->file).filename().string() : std::string());
  results_.push_back(
      {{"ruleId", rule.id},
       {"level", level},
       {"message", {{"text", message(function)}}},
       {"locations", OrderedJson::array({location(function)})},
       {"partialFingerprints", {{"gprofLspFunction/v1", fmt::format("{:016x}", hash_line(key))}}},
       {"properties", properties(function)}});
}

// Shown at main, if there is one: code hosts omit results without a location.
void SarifWriter::add_program(bool failed) {
  const TimeChange& program = comparison_.program();
  const char unit = comparison_.dimension_abbreviation();
  OrderedJson result = {
      {"ruleId", program_rule.id},
      {"level", failed ? "error" : "warning"},
      {"message",
       {{"text",
         fmt::format("the program: {:.3f} {}, before {:.3f} {}: {:+.3f} ± {:.3f} {}", program.after,
                     unit, program.before, unit, program.difference(), program.error, unit)}}}};
  const auto main_symbol = comparison_.program_after().symbols().find_by_name("main");
  if (main_symbol) {
    ComparedFunction main_function;
    main_function.after = *main_symbol;
    result["locations"] = OrderedJson::array({location(main_function)});
  }
  result["partialFingerprints"] = {
      {"gprofLspFunction/v1", fmt::format("{:016x}", hash_line(program_rule.id))}};
  result["properties"] = {{"before", program.before},
                          {"after", program.after},
                          {"difference", program.difference()},
                          {"error", program.error},
                          {"probability", program.probability}};
  results_.push_back(std::move(result));
}

std::string SarifWriter::write() {
  const auto failures = gate_failures(result_);
  auto failed = [&](const ComparedFunction* function) {
    for (const GateFailure& failure : failures) {
      if (failure.function == function) return true;
    }
    return false;
  };
  const ComparisonMetric metric = result_.options.metric;
  const TimeChange& program = comparison_.program();
  if (metric != ComparisonMetric::calls && program.significant && program.difference() > 0) {
    add_program(failed(nullptr));
  }
  for (const std::size_t index : comparison_.ranked(metric)) {
    const ComparedFunction& function = comparison_.functions()[index];
    const bool by_calls = metric == ComparisonMetric::calls;
    const Verdict verdict = verdict_of(function, function.time(metric));
    const bool regressed = by_calls ? function.before != no_symbol && function.after != no_symbol &&
                                          function.calls.verdict == CallsVerdict::more
                                    : verdict == Verdict::regressed;
    const bool changed = by_calls ? function.calls.verdict == CallsVerdict::fewer
                                  : function.time(metric).significant && verdict != Verdict::gone;
    if (regressed) {
      add(regression_rule, failed(&function) ? "error" : "warning", function);
    } else if (result_.options.notes && changed && function.after != no_symbol) {
      add(change_rule, "note", function);
    }
  }
  OrderedJson driver = {{"name", "gprof-lsp"},
                        {"semanticVersion", GPROF_LSP_VERSION},
                        {"rules",
                         {rule_json(regression_rule, "warning"), rule_json(program_rule, "warning"),
                          rule_json(change_rule, "note")}}};
  OrderedJson run = {{"tool", {{"driver", std::move(driver)}}},
                     {"originalUriBaseIds", {{root_name, {{"uri", uri_from_path(root_) + "/"}}}}},
                     {"columnKind", "unicodeCodePoints"},
                     {"results", std::move(results_)},
                     {"properties", {{"remarks", result_.remarks}}}};
  const OrderedJson log = {{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
                           {"version", "2.1.0"},
                           {"runs", OrderedJson::array({std::move(run)})}};
  return log.dump(2, ' ', false, OrderedJson::error_handler_t::replace) + "\n";
}

}  // namespace

std::string diff_sarif(const DiffResult& result, const std::string& root) {
  return SarifWriter(result, root).write();
}

}  // namespace gprof::lsp
