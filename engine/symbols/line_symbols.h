// The symbols of a report by lines (-l): a symbol for each stretch of .text that is of one line,
// one file and one function (the innermost inlined one), beside the functions themselves.
//
// As GNU gprof 2.40 has it:
// - Code without a file, a line or a name is passed over and ends no stretch.
// - Where a stretch starts at a function's entry, the function's symbol stands for it, with the end
//   of the whole function. A stretch ends where the next symbol starts, the last one with .text.
// - A symbol that ends at or before its own start is left out: a last function behind .text.
//
// Cost: n log n in symbols, rows and ranges of inlined calls; no step for each byte. Ownership,
// threads and errors: as function_symbols.h.
#pragma once

#include "engine/dwarf/debug_information.h"
#include "engine/object/symbol_table.h"
#include "engine/symbols/code_places.h"
#include "engine/symbols/source_symbols.h"

namespace gprof {

// Beside the functions of `table`; `names`: of inlined calls. `debug` may be null.
[[nodiscard]] SourceSymbolTable::Parts line_symbols(const SymbolTable& table,
                                                    const DebugInformation* debug,
                                                    PlaceNames names);

}  // namespace gprof
