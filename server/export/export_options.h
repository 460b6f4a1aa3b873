// The command line of `gprof-lsp export`.
//
// Thread contract: pure functions.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "server/command_line.h"
#include "server/export/export_request.h"

namespace gprof::lsp {

struct ExportOptions {
  ExportRequest request;
  std::string output;  // a file; empty: standard output
  std::string executable;
  std::vector<std::string> profiles;  // gmon.out where none is named; summed
};
using ExportCommandLine = std::variant<ExportOptions, HelpRequest, UsageError>;

// `words` without the name of the program and "export".
[[nodiscard]] ExportCommandLine parse_export_options(std::span<const std::string_view> words);
[[nodiscard]] std::string_view export_help_text();

}  // namespace gprof::lsp
