// Parameters of this server's own requests, gprof/…: docs/lsp-extensions.md describes them.
//
// What a client leaves out has the value that stands here. Limits that are too large are cut by
// the features, not refused. Plain values. Thread contract: as for any value.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "server/protocol/any_value.h"
#include "server/protocol/basic_types.h"
#include "server/protocol/settings.h"

namespace gprof::lsp {

struct LineDataParams {
  TextDocumentIdentifier text_document;
  std::optional<Range> range;            // whole lines that it touches; none: the whole document
  std::optional<bool> inlined_at_calls;  // none: the setting
  std::optional<std::uint32_t> hottest;  // only so many, the hottest; none: all
  bool functions = false;                // the texts of lenses as well
};

struct HotSpotsParams {
  std::optional<std::string> program;  // by name; none: the one that is shown
  std::optional<Metric> metric;        // none: that of the settings
  std::string query;                   // letters of the name, in order; empty: every function
  std::uint32_t limit = 50;
  bool by_regression = false;  // order: what got slower than in the base first
};

struct FlatProfileParams {
  std::optional<std::string> program;
  std::uint32_t limit = 1000;
  std::uint32_t offset = 0;
};

struct CyclesParams {
  std::optional<std::string> program;
};

enum class GraphDirection : std::uint8_t { callers, callees, both };

// Around the function at a place in a document, or around one that is named.
struct CallGraphParams {
  std::optional<TextDocumentIdentifier> text_document;
  std::optional<Position> position;
  std::optional<std::string> program;
  std::optional<std::string> symbol;  // linkage name, or the name that is shown
  std::uint32_t depth = 2;            // calls away from the function
  GraphDirection direction = GraphDirection::both;
};

// Of the function at a place in a document.
struct CallSitesParams {
  TextDocumentIdentifier text_document;
  Position position;
  GraphDirection direction = GraphDirection::callers;  // or callees
};

// Of the program, or of what ran under the function at a place in a document.
struct FlameGraphParams {
  std::optional<TextDocumentIdentifier> text_document;
  std::optional<Position> position;
  std::optional<std::string> program;
  std::optional<std::uint32_t> maximum_depth;
  std::optional<double> minimum_share;  // of the whole tree's time
};

// gprof/report and the command gprof.showReport.
struct ReportParams {
  std::string kind;  // features/report_address.h lists them
  std::optional<std::string> program;
  std::optional<std::string> options;  // gprof's, separated by blanks
  std::optional<std::string> file;     // of annotated sources: this one alone
};

struct ProgramsParams {};

// The argument of the command gprof.export.
struct ExportParams {
  std::string format;  // server/export/export_request.h lists them
  std::optional<std::string> program;
  std::optional<std::string> path;   // of a file, or its URI; none: the text is the answer
  std::optional<std::string> table;  // of csv
};

// The arguments of the commands; nothing where a member is of another type, or the first one is
// missing.
[[nodiscard]] std::optional<ExportParams> any_export(const AnyValue& value);
[[nodiscard]] std::optional<ReportParams> any_report(const AnyValue& value);

}  // namespace gprof::lsp
