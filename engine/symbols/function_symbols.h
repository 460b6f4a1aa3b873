// The functions of a program with their source locations.
//
// Ownership: the result keeps alive the images that own the names. Thread contract: pure functions,
// any thread. Errors: unreadable debug information costs only the locations.
#pragma once

#include <cstdint>
#include <memory>

#include "engine/dwarf/debug_information.h"
#include "engine/object/symbol_table.h"
#include "engine/symbols/source_symbols.h"

namespace gprof {

// For which functions locations are read. Uses that only name functions need those of static ones,
// which are told apart by file; units without any are not decoded.
enum class EntryLocations : std::uint8_t { of_static_functions, all };

// The functions of `table`. The file and line are those of the entry: the last ones that the line
// table has there. Files are numbered in .symtab's order of functions if the table keeps it
// (SymbolPolicy::gnu), else by ascending address. `debug` may be null.
[[nodiscard]] SourceSymbolTable::Parts function_symbols(const SymbolTable& table,
                                                        const DebugInformation* debug,
                                                        EntryLocations which);

}  // namespace gprof
