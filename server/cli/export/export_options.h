// The command line of `gprof-lsp export`.
//
// Thread contract: values and pure functions.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "server/cli/option_table.h"
#include "server/cli/profile_part.h"
#include "server/export/export_request.h"

namespace gprof::lsp {

struct ExportOptions {
  // These two as far as they were given; the request has them anyway.
  std::optional<ExportFormat> format;
  std::optional<ExportTable> table;
  ExportRequest request;
  ProfilePart part;
  std::string output;  // a file; empty: standard output
  std::string executable;
  std::vector<std::string> profiles;  // summed; gmon.out if none is named
};
[[nodiscard]] CommandSyntax export_syntax(ExportOptions& options);

}  // namespace gprof::lsp
