// The command line of `gprof-lsp report`, which is GNU gprof's.
//
// Ownership: results own their texts. Thread contract: pure functions; the table reads
// POSIXLY_CORRECT.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/report/report_request.h"
#include "server/cli/option_table.h"
#include "server/cli/profile_part.h"

namespace gprof::lsp {

enum class ColorChoice : std::uint8_t { automatic, always, never };

struct ReportOptions {
  ReportRequest request;  // without streams, a view and the directories of the environment
  ProfilePart part;
  bool profiles_named = false;  // on the command line, rather than taken for want of any
  ColorChoice color = ColorChoice::automatic;
  bool pager = true;
};
// Words of the form @FILE are for argument_files.
[[nodiscard]] CommandSyntax report_syntax(ReportOptions& options);

// "a:b" and, as GNU gprof sees it, ":": two directories with an empty name.
[[nodiscard]] std::vector<std::string> split_directories(std::string_view text);

}  // namespace gprof::lsp
