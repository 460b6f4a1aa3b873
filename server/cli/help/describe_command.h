// `gprof-lsp describe`, for the build only, which makes manual pages and completions with it. Its
// options may change in any version.
//
// Thread contract: for the main thread.
#pragma once

#include <cstdint>

#include "server/cli/option_table.h"

namespace gprof::lsp {

enum class Description : std::uint8_t { manual, bash, zsh, fish };

struct DescribeOptions {
  Description what = Description::manual;
};
[[nodiscard]] CommandSyntax describe_syntax(DescribeOptions& options);

// Returns the exit status.
[[nodiscard]] int run_describe(const DescribeOptions& options);

}  // namespace gprof::lsp
