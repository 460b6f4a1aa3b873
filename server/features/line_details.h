// A line in full, with exact numbers, their errors and links: for hovers and the tooltips of hints.
//
// Thread contract: pure functions.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "server/features/file_view.h"
#include "server/text/markup_writer.h"

namespace gprof::lsp {

// "Executed 26,312 times."; nothing if not known.
void write_executions(MarkupWriter& out, const LineCost& cost);
// Executions, self time, time with the line's calls, and the calls.
void write_line_details(MarkupWriter& out, const FileView& view, const LineCost& cost);

// The names of a list's functions, as short as a table needs them. Different functions have
// different names: where the names are the same, parameters are added, then files and lines.
[[nodiscard]] std::vector<std::string> listed_names(const FileView& view,
                                                    std::span<const SymbolIndex> symbols);
// The name, linked to the function's definition if the client shows links and the source is
// available. Without a name, the one that it has in a list of its own.
[[nodiscard]] std::string function_link(const MarkupWriter& out, const FileView& view,
                                        SymbolIndex symbol);
[[nodiscard]] std::string function_link(const MarkupWriter& out, const FileView& view,
                                        SymbolIndex symbol, std::string_view name);
// The number of a line of the build as it is now, linked to it.
[[nodiscard]] std::string line_link(const MarkupWriter& out, const FileView& view, LineNumber line);
// "queue.c:12", linked.
[[nodiscard]] std::string place_link(const MarkupWriter& out, const FileView& view,
                                     const SourceLocation& place);
// "the lines 7, 8", as they are numbered now: where calls may have come from.
[[nodiscard]] std::string candidate_lines_text(const FileView& view, const LineCall& call);

}  // namespace gprof::lsp
