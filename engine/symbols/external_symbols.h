// Functions from a file instead of the executable's own symbol table (-S): lines as `nm` prints
// them, "ADDRESS TYPE NAME", the address in hexadecimal.
//
// Lines of fewer than three words, and of types other than t (static) and T, are passed over; what
// follows the third word is, too. As GNU gprof reads it, a line ends after `longest_symbol_line`
// bytes and what is left is a line of its own.
//
// Units: link-time addresses. Ownership: the result owns its names; it has no files and no lines.
// Thread contract: pure function. Errors: not_found, unreadable; corrupt, naming the line, where an
// address is no number; no_symbols where no line names a function.
#pragma once

#include <string>

#include "engine/object/image.h"
#include "engine/symbols/source_symbols.h"

namespace gprof {

inline constexpr std::size_t longest_symbol_line = 1022;

// The last symbol ends with the .text section of `image`, the program.
[[nodiscard]] Expected<SourceSymbolTable::Parts> external_symbols(const std::string& path,
                                                                  const Image& image);

}  // namespace gprof
