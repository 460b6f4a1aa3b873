// Parameters of this server's own requests, gprof/…: docs/lsp-extensions.md describes them.
//
// What a client leaves out has the initial value given here. Features lower limits that are too
// large rather than refuse them. The texts of members become their documentation
// (tools/describe_protocol.cc). Plain values. Thread contract: as for any value.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "server/protocol/basic_types.h"
#include "server/protocol/metric_messages.h"
#include "server/protocol/settings.h"

namespace gprof::lsp {

struct LineDataParams {
  TextDocumentIdentifier text_document;
  std::optional<Range> range;
  std::optional<bool> inlined_at_calls;
  std::optional<std::uint32_t> hottest;
  std::optional<std::string> metric;
  std::optional<double> threshold;
  bool errors = false;
  bool functions = false;
  std::vector<std::string> metrics;
  SelectionOverride selection;

  static void fields(auto& visit, auto& self) {
    visit("textDocument", self.text_document);
    visit("range", self.range, "the lines that it touches; without it, all of them");
    visit("inlinedAtCalls", self.inlined_at_calls, "without it, the setting gprof.inlinedAtCalls");
    visit("hottest", self.hottest,
          "only so many lines, the hottest by the metric, and none without heat");
    visit.metric("metric", self.metric,
                 "of cells, heat and level; without it, the setting gprof.metric");
    visit("threshold", self.threshold,
          "cells have no times below this share; without it, the setting gprof.threshold");
    visit.optional("errors", self.errors, "cells have times with their errors");
    visit.optional("functions", self.functions, "the texts of lenses as well");
    visit.optional("metrics", self.metrics,
                   "names of metrics by which lines have values; at most 64");
    visit.or_null("selection", self.selection, selection_member_text);
  }
};

enum class HotSpotOrder : std::uint8_t { cost, regression };
template <>
inline constexpr auto wire_names<HotSpotOrder> = enum_names<HotSpotOrder>(
    {{HotSpotOrder::cost, "cost"}, {HotSpotOrder::regression, "regression"}});

struct HotSpotsParams {
  std::optional<std::string> program;
  std::optional<std::string> metric;
  std::string query;
  HotSpotOrder order = HotSpotOrder::cost;
  std::uint32_t limit = 50;
  std::vector<std::string> metrics;
  SelectionOverride selection;

  static void fields(auto& visit, auto& self) {
    visit("program", self.program);
    visit.metric(
        "metric", self.metric,
        "the setting gprof.metric by default; executions: by calls, which is how functions are "
        "counted");
    visit.optional("query", self.query, "letters of the name in this order, ignoring case");
    visit.optional("order", self.order,
                   "cost by default; regression: as the comparison with the base ranks them");
    visit.optional("limit", self.limit, "50 by default; at most 1,000");
    visit.optional("metrics", self.metrics,
                   "names of metrics by which spots have values; at most 64");
    visit.or_null("selection", self.selection, selection_member_text);
  }
};

struct FlatProfileParams {
  std::optional<std::string> program;
  std::uint32_t offset = 0;
  std::uint32_t limit = 1000;
  std::optional<std::string> metric;
  std::vector<std::string> metrics;
  SelectionOverride selection;

  static void fields(auto& visit, auto& self) {
    visit("program", self.program);
    visit.optional("offset", self.offset, "rows to skip");
    visit.optional("limit", self.limit, "1,000 by default; at most 10,000");
    visit.metric("metric", self.metric, cost_member_text);
    visit.optional("metrics", self.metrics,
                   "names of metrics by which rows have values; at most 64");
    visit.or_null("selection", self.selection, selection_member_text);
  }
};

struct CyclesParams {
  std::optional<std::string> program;
  std::optional<std::string> metric;
  SelectionOverride selection;

  static void fields(auto& visit, auto& self) {
    visit("program", self.program);
    visit.metric("metric", self.metric, cost_member_text);
    visit.or_null("selection", self.selection, selection_member_text);
  }
};

enum class GraphDirection : std::uint8_t { callers, callees, both };
template <>
inline constexpr auto wire_names<GraphDirection> =
    enum_names<GraphDirection>({{GraphDirection::callers, "callers"},
                                {GraphDirection::callees, "callees"},
                                {GraphDirection::both, "both"}});

// Around the function at a place in a document, or around one that is named.
struct CallGraphParams {
  std::optional<TextDocumentIdentifier> text_document;
  std::optional<Position> position;
  std::optional<std::string> program;
  std::optional<std::string> symbol;
  std::uint32_t depth = 2;
  GraphDirection direction = GraphDirection::both;
  std::optional<std::string> metric;
  SelectionOverride selection;

  static void fields(auto& visit, auto& self) {
    visit("textDocument", self.text_document);
    visit("position", self.position);
    visit("program", self.program);
    visit("symbol", self.symbol,
          "instead of the two above: the linkage name, or the name as shown");
    visit.optional("depth", self.depth,
                   "how many calls away from the function: 1 to 8; 2 by default");
    visit.optional("direction", self.direction, "both by default");
    visit.metric("metric", self.metric, cost_member_text);
    visit.or_null("selection", self.selection, selection_member_text);
    visit.expect((self.text_document && self.position) || self.symbol,
                 "an object with textDocument and position, or with symbol");
  }
};

enum class CallSide : std::uint8_t { callers, callees };
template <>
inline constexpr auto wire_names<CallSide> = enum_names<CallSide>({{CallSide::callers, "callers"},
                                                                   {CallSide::callees, "callees"}});

// Of the function at a place in a document, or of one of a library that is named.
struct CallSitesParams {
  std::optional<TextDocumentIdentifier> text_document;
  std::optional<Position> position;
  std::optional<std::string> program;
  std::optional<std::string> symbol;
  CallSide direction = CallSide::callers;
  std::optional<std::string> function;
  std::optional<std::string> metric;
  SelectionOverride selection;

  static void fields(auto& visit, auto& self) {
    visit("textDocument", self.text_document);
    visit("position", self.position);
    visit("program", self.program, "with symbol");
    visit("symbol", self.symbol,
          "instead of a place: a function's name as in lists, \"write [libc.so.6]\", or linkage "
          "name");
    visit("direction", self.direction);
    visit("function", self.function, "which of several whose names are on the line");
    visit.metric("metric", self.metric, cost_member_text);
    visit.or_null("selection", self.selection, selection_member_text);
    visit.expect((self.text_document && self.position) || self.symbol,
                 "an object with textDocument and position, or with symbol");
  }
};

// Of the program, or of what ran under the function at a place in a document.
struct FlameGraphParams {
  std::optional<TextDocumentIdentifier> text_document;
  std::optional<Position> position;
  std::optional<std::string> program;
  std::optional<std::uint32_t> maximum_depth;
  std::optional<double> minimum_share;
  bool differences = false;
  std::optional<std::string> metric;
  SelectionOverride selection;

  static void fields(auto& visit, auto& self) {
    visit("textDocument", self.text_document, "with a position");
    visit("position", self.position);
    visit("program", self.program, "if there is no place");
    visit("maximumDepth", self.maximum_depth, "calls below the root: 100 by default; at most 400");
    visit("minimumShare", self.minimum_share,
          "smaller nodes are left out; a share of the root's time, 0.0001 by default");
    visit.optional("differences", self.differences, "from the base, where there is one");
    visit.metric("metric", self.metric, cost_member_text);
    visit.or_null("selection", self.selection, selection_member_text);
    visit.expect(self.text_document.has_value() == self.position.has_value(),
                 "an object with both of textDocument and position, or neither");
  }
};

enum class ReportPage : std::uint8_t {
  everything,  // what gprof prints by default
  flat_profile,
  call_graph,
  name_index,  // the last part of the call graph
  annotated_source,
  execution_counts,
  function_ordering,
  file_information,
};
template <>
inline constexpr auto wire_names<ReportPage> =
    enum_names<ReportPage>("ReportKind", {{ReportPage::everything, "all"},
                                          {ReportPage::annotated_source, "annotated-source"},
                                          {ReportPage::call_graph, "call-graph"},
                                          {ReportPage::execution_counts, "execution-counts"},
                                          {ReportPage::file_information, "file-information"},
                                          {ReportPage::flat_profile, "flat-profile"},
                                          {ReportPage::function_ordering, "function-ordering"},
                                          {ReportPage::name_index, "index"}});

// gprof/report and the command gprof.showReport.
struct ReportParams {
  ReportPage kind = ReportPage::everything;
  std::optional<std::string> program;
  std::optional<std::string> options;
  std::optional<std::string> file;
  std::optional<std::string> metric;
  SelectionOverride selection;

  static void fields(auto& visit, auto& self) {
    visit("kind", self.kind);
    visit("program", self.program);
    visit("options", self.options, "-b by default");
    visit("file", self.file, "for annotated-source: the path of one source");
    visit.metric("metric", self.metric, "of a report with --accurate: as in other requests");
    visit.or_null("selection", self.selection, "the same");
  }
};

struct ProgramsParams {
  static void fields(auto&, auto&) {}
};

struct IdleParams {
  static void fields(auto&, auto&) {}
};

}  // namespace gprof::lsp
