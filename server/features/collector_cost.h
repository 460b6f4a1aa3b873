// What counting a function's calls cost, where that is a large part of its self time.
//
// Thread contract: a pure function.
#pragma once

#include "server/features/file_view.h"
#include "server/text/markup_writer.h"

namespace gprof::lsp {

// A paragraph, or nothing.
void write_collector_cost(MarkupWriter& out, const FileView& view, const FunctionCost& function);

}  // namespace gprof::lsp
