// The command line of `gprof-lsp report`: GNU gprof's, by way of the C library's getopt_long, so
// that permutation, abbreviations and attached arguments are the same by construction.
//
// Ownership: results own their texts. Thread contract: one call at a time, as getopt_long keeps
// its state in globals. Reads the files that @FILE words name, and, within getopt_long,
// POSIXLY_CORRECT.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "engine/report/report_request.h"
#include "server/command_line.h"

namespace gprof::lsp {

enum class ColorChoice : std::uint8_t { automatic, always, never };

struct ReportOptions {
  ReportRequest request;        // without streams and the directories of the environment
  bool profiles_named = false;  // on the command line, rather than taken for want of any
  ColorChoice color = ColorChoice::automatic;
  bool pager = true;
};

// What comes first on the line counts: an error before --help is an error.
using ReportCommandLine = std::variant<ReportOptions, HelpRequest, VersionRequest, UsageError>;

// `words` without the name of the program and "report".
[[nodiscard]] ReportCommandLine parse_report_options(std::span<const std::string_view> words);

// "a:b" and, as GNU gprof sees it, ":": two directories with an empty name.
[[nodiscard]] std::vector<std::string> split_directories(std::string_view text);

}  // namespace gprof::lsp
