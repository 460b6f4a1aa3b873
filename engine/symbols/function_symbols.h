// The functions of a program with their places in the source.
//
// Ownership: the result holds the images alive whose names it views. Thread contract: pure
// functions, any thread. Errors: those of SymbolTable::build(); debug information that cannot be
// read costs the places alone.
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

// GNU gprof's functions. The file and the line are those of the entry: what the line table says
// there last. Files are numbered as .symtab lists the functions. `debug` may be null.
[[nodiscard]] Expected<SourceSymbolTable::Parts> function_symbols(
    std::shared_ptr<const Image> image, const DebugInformation* debug,
    const GnuSymbolOptions& options, EntryPlaces which);

// All functions, clones apart (SymbolPolicy::full). Files are numbered by rising addresses.
// `debug_image` is the program's separate debug file or null.
[[nodiscard]] Expected<SourceSymbolTable::Parts> full_function_symbols(
    std::shared_ptr<const Image> image, std::shared_ptr<const Image> debug_image,
    const DebugInformation* debug);

}  // namespace gprof
