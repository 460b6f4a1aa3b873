// `gprof-lsp diff`: two builds, several runs of each, and what differs beyond its error.
//
// Thread contract: for the main thread of a process that does nothing else.
#pragma once

#include <span>
#include <string_view>

namespace gprof::lsp {

// `words` without the name of the program and "diff". Returns the exit status.
[[nodiscard]] int run_diff(std::span<const std::string_view> words);

}  // namespace gprof::lsp
