// Functions for tables of symbols as gprof's reports know them.
//
// Ownership: the name is borrowed. Thread contract: pure functions.
#pragma once

#include <cstdint>
#include <string_view>

#include "engine/symbols/source_symbols.h"

namespace gprof::test {

inline SourceSymbol source_function(Address begin, std::uint64_t size, std::string_view name,
                                    FileIndex file = no_source_file, LineNumber line = 0) {
  SourceSymbol symbol;
  symbol.address = begin;
  symbol.end = begin + size;
  symbol.name = name;
  symbol.file = file;
  symbol.line = line;
  symbol.is_function = true;
  return symbol;
}

}  // namespace gprof::test
