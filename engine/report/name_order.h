// Symbols in the order of their names, by which reports sort what is equal otherwise.
//
// Thread contract: a pure function. Cost: linear in the bytes that names have in common.
#pragma once

#include <vector>

#include "engine/symbols/source_symbols.h"

namespace gprof {

// All symbols; of those of one name, the one at the lower index comes first. Bytes count as
// unsigned.
[[nodiscard]] std::vector<SymbolIndex> symbols_by_name(const SourceSymbolTable& symbols);

}  // namespace gprof
