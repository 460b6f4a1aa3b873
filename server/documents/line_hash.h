// Lines identified by hash: enough to recognise a line without keeping its text.
//
// A hash of a line never changes from one version of the program to the next, nor from one machine
// to another: hashes are kept on disk. Two lines with the same hash count as equal; at 64 bits a
// chance collision in a file of a million lines is one in tens of millions.
// Thread contract: pure functions.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "server/documents/line_table.h"

namespace gprof::lsp {

using LineHash = std::uint64_t;
// One entry per line, in order.
using LineHashes = std::vector<LineHash>;

// FNV-1a of the bytes with a final mixing step.
[[nodiscard]] LineHash hash_line(std::string_view line_without_its_end);
// All lines. Line endings are not hashed: CR LF and LF give the same.
[[nodiscard]] LineHashes hash_lines(std::string_view text, const LineTable& lines);

}  // namespace gprof::lsp
