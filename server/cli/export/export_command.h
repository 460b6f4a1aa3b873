// `gprof-lsp export`: a profile in a format that other tools open.
//
// Thread contract: for the main thread of a process that does nothing else.
#pragma once

#include <span>
#include <string_view>

namespace gprof::lsp {

// `words` without the name of the program and "export". Returns the exit status.
[[nodiscard]] int run_export(std::span<const std::string_view> words);

}  // namespace gprof::lsp
