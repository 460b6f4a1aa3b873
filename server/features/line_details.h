// A line in full, with exact numbers, their errors and links: for hovers and the tooltips of hints.
//
// Thread contract: pure functions.
#pragma once

#include <string>

#include "server/features/file_view.h"
#include "server/text/markup_writer.h"

namespace gprof::lsp {

// "Executed 26,312 times."; nothing if not known.
void write_executions(MarkupWriter& out, const LineCost& cost);
// Executions, self time, time with the line's calls, and the calls.
void write_line_details(MarkupWriter& out, const FileView& view, const LineCost& cost);

// The function's name, linked to its definition if the client shows links and the source is
// available.
[[nodiscard]] std::string function_link(const MarkupWriter& out, const FileView& view,
                                        SymbolIndex symbol);
// The number of a line of the build as it is now, linked to it.
[[nodiscard]] std::string line_link(const MarkupWriter& out, const FileView& view, LineNumber line);
// "queue.c:12", linked.
[[nodiscard]] std::string place_link(const MarkupWriter& out, const FileView& view,
                                     const SourceLocation& place);
// "the lines 7, 8", as they are numbered now: where calls may have come from.
[[nodiscard]] std::string candidate_lines_text(const FileView& view, const LineCall& call);

}  // namespace gprof::lsp
