// `gprof-lsp record`: runs a program under the collector and says what came of it.
//
// Thread contract: for the main thread of a process that does nothing else.
#pragma once

#include <span>
#include <string_view>

namespace gprof::lsp {

// `words` without the name of the program and "record". Returns the exit status; where the program
// was killed by a signal, so is this process.
[[nodiscard]] int run_record(std::span<const std::string_view> words);

}  // namespace gprof::lsp
