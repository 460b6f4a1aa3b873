// Numbers and times as the last line of `gprof-lsp record` shows them.
//
// Thread contract: pure functions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace gprof::lsp {

// "1 call", "1,234 calls".
[[nodiscard]] std::string counted(std::uint64_t count, std::string_view thing);
[[nodiscard]] double seconds_of(std::uint64_t nanoseconds);
// "0.09 s", "3.9 s", "42.1 s", "1,234 s".
[[nodiscard]] std::string seconds_text(double seconds);

}  // namespace gprof::lsp
