// The command line of `gprof-lsp check`.
//
// Thread contract: values and pure functions.
#pragma once

#include <string>

#include "server/cli/option_table.h"

namespace gprof::lsp {

struct CheckOptions {
  std::string directory = ".";
  std::string configuration_file;  // empty: none
};
[[nodiscard]] CommandSyntax check_syntax(CheckOptions& options);

}  // namespace gprof::lsp
