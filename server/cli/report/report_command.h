// `gprof-lsp report`: reads what the engine may not (standard input, the environment), has the
// report made, writes its files and prints it.
//
// Thread contract: for the main thread of a process that does nothing else.
#pragma once

#include <span>
#include <string_view>

namespace gprof::lsp {

// `words` without the name of the program and "report". Returns the exit status: 0, or 1 with one
// line on standard error and, if no report could be made, nothing on standard output.
[[nodiscard]] int run_report(std::span<const std::string_view> words);

}  // namespace gprof::lsp
