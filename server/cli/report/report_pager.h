// Showing a text page by page, with the program that the user's environment names.
//
// Thread contract: show_paged() forks; for a process with one thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace gprof::lsp {

// A command for /bin/sh: $GPROF_PAGER, else $PAGER, else less. Nothing if it is empty or "cat".
[[nodiscard]] std::optional<std::string> pager_command();

// False, with nothing shown, if the pager cannot be started. What it does not read is dropped:
// whoever quits a pager has seen enough. Returns when the pager has exited.
[[nodiscard]] bool show_paged(std::string_view text, const std::string& command);

}  // namespace gprof::lsp
