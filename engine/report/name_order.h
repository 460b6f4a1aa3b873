// Symbols in order of their names, which reports use to break ties.
//
// Thread contract: a pure function. Cost: linear in the length of the names' common prefixes.
#pragma once

#include <vector>

#include "engine/symbols/source_symbols.h"

namespace gprof {

// All symbols; of those with the same name, the lower index first. Bytes compare as unsigned.
[[nodiscard]] std::vector<SymbolIndex> symbols_by_name(const SourceSymbolTable& symbols);

}  // namespace gprof
