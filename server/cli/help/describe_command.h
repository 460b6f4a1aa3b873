// `gprof-lsp describe`, for the build alone, which makes manual pages and completions with it. Its
// words may change with any version.
//
// Thread contract: for the main thread.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "server/cli/option_table.h"

namespace gprof::lsp {

enum class Description : std::uint8_t { manual, bash, zsh, fish };

struct DescribeOptions {
  Description what = Description::manual;
};
[[nodiscard]] CommandSyntax describe_syntax(DescribeOptions& options);

// `words` without the name of the program and "describe". Returns the exit status.
[[nodiscard]] int run_describe(std::span<const std::string_view> words);

}  // namespace gprof::lsp
