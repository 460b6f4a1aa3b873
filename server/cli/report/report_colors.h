// Colours for a report that a terminal shows.
//
// Thread contract: a pure function.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "engine/report/report_ranges.h"

namespace gprof::lsp {

// The sequences that colored_report() inserts; without them its text is the report again.
inline constexpr std::string_view color_bold = "\x1b[1m";
inline constexpr std::string_view color_dim = "\x1b[2m";
inline constexpr std::string_view color_warm = "\x1b[33m";
inline constexpr std::string_view color_off = "\x1b[0m";

// Bold: headings, and the names to which the entries of the call graph belong. Dim: the heads of
// columns. Warm: what took 10 % of the time or more. `ranges` are those of the text.
[[nodiscard]] std::string colored_report(std::string_view text,
                                         std::span<const ReportRange> ranges);

}  // namespace gprof::lsp
