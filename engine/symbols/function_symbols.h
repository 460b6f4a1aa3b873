// The functions of a program with their places in the source.
//
// Ownership: the result holds the images alive whose names it views. Thread contract: pure
// functions, any thread. Errors: debug information that cannot be read costs the places alone.
#pragma once

#include <cstdint>
#include <memory>

#include "engine/dwarf/debug_information.h"
#include "engine/object/symbol_table.h"
#include "engine/symbols/source_symbols.h"

namespace gprof {

// Of which functions the places are read. What names functions alone needs those of static ones,
// which it tells apart by their files; nothing is decoded of units that have none.
enum class EntryPlaces : std::uint8_t { of_static_functions, all };

// The functions of `table`. The file and the line are those of the entry: what the line table says
// there last. Files are numbered as .symtab lists the functions where the table keeps that order
// (SymbolPolicy::gnu), else by rising addresses. `debug` may be null.
[[nodiscard]] SourceSymbolTable::Parts function_symbols(const SymbolTable& table,
                                                        const DebugInformation* debug,
                                                        EntryPlaces which);

}  // namespace gprof
