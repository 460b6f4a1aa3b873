// The headers of a Windows program or library (PE, of 32 or 64 bits, x86).
//
// Sections have the numbers of the file's section table, from 1 on. Two more follow it if there are
// symbols: .symtab, the COFF symbols, and .strtab, their long names, as raw_symbols.h decodes them.
// Addresses include the preferred load address (ImageBase), as those in the DWARF of PE do. Layout:
// Microsoft's "PE Format".
//
// Thread contract: pure functions. Errors: wrong_format (a program of DOS), truncated, corrupt,
// unsupported (another processor), with the offset. What only sections need is checked when they
// are read: a symbol table that is not in the file leaves the rest usable.
#pragma once

#include "engine/object/byte_source.h"
#include "engine/object/object_headers.h"

namespace gprof {

// Precondition: the file begins with "MZ".
[[nodiscard]] Expected<ObjectHeaders> read_pe_headers(const ByteSource& source);

}  // namespace gprof
