// Where the time of a function goes, by its lines.
//
// Units: ticks; lines from 1, of the build. Thread contract: pure functions.
#pragma once

#include <vector>

#include "server/features/file_view.h"

namespace gprof::lsp {

struct LineTotal {
  LineNumber line = 0;
  Ticks total = 0;  // with what the line called and what was inlined into it
};

struct FunctionLines {
  std::vector<LineTotal> lines;  // with any time; most first
  // Of all of them: the function's total and that of its inlined copies, but for recursion, where
  // a sample counts in each line that is on its stack.
  Ticks sum = 0;
};

// Of a function of the view's file. Nothing where lines have no measured totals.
[[nodiscard]] FunctionLines lines_of(const FileView& view, const FunctionCost& function);

}  // namespace gprof::lsp
