// Values of options that only GNU gprof's command line has.
//
// Ownership: they refer to what they set. Thread contract: values.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/report/report_request.h"
#include "server/cli/option_table.h"

namespace gprof::lsp {

// An option that selects a report and, by its argument, its symbols.
struct ReportStyle {
  ReportKind kind;
  SymspecList list;
  bool suppresses;  // the report, if there is no argument
};
[[nodiscard]] OptionValue style_value(ReportRequest& request, const ReportStyle& style);
// No argument: the report is wanted.
[[nodiscard]] OptionValue report_value(ReportRequest& request, ReportKind kind);
[[nodiscard]] OptionValue sum_value(ReportRequest& request);
// Fills lists of symbols and selects no report.
[[nodiscard]] OptionValue symspec_value(std::string name, ReportRequest& request,
                                        std::vector<SymspecList> lists);
[[nodiscard]] OptionValue function_map_value(std::string name, ReportRequest& request);
// `is_prof` tells whether the last one was prof's format, which is known but cannot be read.
[[nodiscard]] OptionValue format_value(std::string name, GmonFormatChoice& format, bool& is_prof);
[[nodiscard]] OptionValue directories_value(std::string name, std::vector<std::string>& target);

// GNU gprof parses numbers as the C library does: blanks and a sign may precede the digits,
// anything may follow, and no digits mean 0. A value beyond int is truncated to its lower half.
[[nodiscard]] OptionValue integer_value(std::string name, int& target, int low);
[[nodiscard]] OptionValue minimum_value(std::string name, std::uint64_t& target);
[[nodiscard]] OptionValue topics_value(std::string name, std::uint32_t& target);

}  // namespace gprof::lsp
