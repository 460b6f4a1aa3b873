// `gprof-lsp recover`: makes profiles of the counters that killed programs left behind.
//
// Thread contract: for the main thread of a process that does nothing else.
#pragma once

#include <string>
#include <vector>

#include "server/cli/option_table.h"

namespace gprof::lsp {

struct RecoverOptions {
  std::vector<std::string> directories;  // never empty
};
[[nodiscard]] CommandSyntax recover_syntax(RecoverOptions& options);

// Returns the exit status.
[[nodiscard]] int run_recover(const RecoverOptions& options);

}  // namespace gprof::lsp
