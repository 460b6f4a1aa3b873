// Functions from a file instead of the executable's own symbol table (-S): lines as `nm` prints
// them, "ADDRESS TYPE NAME", the address in hexadecimal.
//
// Lines of fewer than three words, and types other than t (static) and T, are skipped, as is
// anything after the third word. As in GNU gprof, a line ends after `longest_symbol_line` bytes and
// the rest is another line.
//
// Units: link-time addresses. Ownership: the result owns its names; it has no files and no lines.
// Thread contract: pure function. Errors: not_found, unreadable; corrupt, naming the line, if an
// address is not a number; no_symbols if no line names a function.
#pragma once

#include <string>

#include "engine/object/image.h"
#include "engine/symbols/source_symbols.h"

namespace gprof {

inline constexpr std::size_t longest_symbol_line = 1022;

// The last symbol ends with the code of `image`, the program (ReportedCode).
[[nodiscard]] Expected<SourceSymbolTable::Parts> external_symbols(const std::string& path,
                                                                  const Image& image);

}  // namespace gprof
