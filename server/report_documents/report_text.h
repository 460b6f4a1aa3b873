// A report as it is shown: its text, with the ranges that it told of itself when it was printed.
// Links, folds and definitions are made of these; nothing reads the text to find them.
//
// Units: bytes. Ownership: owns its text. Thread contract: pure functions.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/report/report_ranges.h"
#include "server/documents/document.h"
#include "server/documents/line_table.h"

namespace gprof::lsp {

struct ReportText {
  std::string text;  // well-formed UTF-8
  LineTable lines;
  ReportRanges parts;
};

// A report as it was printed, from its last section on or as a whole.
[[nodiscard]] ReportText report_text(std::string printed, ReportRanges parts, bool last_section);
// The same report in the text that an editor has: what stands in lines that are as they were
// printed.
[[nodiscard]] ReportText in_open_text(const ReportText& report, const Document& document);

// The text as `show` shows it, character by character; the ranges move along.
using ShowText = std::function<std::string(std::string_view)>;
[[nodiscard]] std::string shown_text(std::string_view text, std::vector<ReportRange>& ranges,
                                     const ShowText& show);

}  // namespace gprof::lsp
