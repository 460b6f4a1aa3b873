// The symbols of a report by line (-l): one for each range of the reported code (ReportedCode) that
// is from one line, one file and one function (the innermost inlined one), in addition to the
// functions themselves.
//
// As in GNU gprof 2.40:
// - Code without a file, a line or a name is skipped and does not end a range.
// - If a range starts at a function's entry, the function's symbol replaces it, with the end of the
//   whole function. A range ends where the next symbol starts, the last one with the code.
// - A symbol that ends at or before its own start is left out: a last function after it.
//
// Cost: n log n in symbols, rows and ranges of inlined calls; no step per byte. Ownership, threads
// and errors: as function_symbols.h.
#pragma once

#include "engine/dwarf/debug_information.h"
#include "engine/object/symbol_table.h"
#include "engine/symbols/line_ranges.h"
#include "engine/symbols/source_symbols.h"

namespace gprof {

// In addition to the functions of `table`; `names`: of inlined calls. `debug` may be null.
[[nodiscard]] SourceSymbolTable::Parts line_symbols(const SymbolTable& table,
                                                    const DebugInformation* debug,
                                                    FunctionNaming names);

}  // namespace gprof
