#include "engine/symbols/function_symbols.h"

#include "engine/symbols/line_ranges.h"
#include "engine/symbols/located_functions.h"

namespace gprof {
namespace {

// By ascending address.
std::vector<Address> entries_of(const SymbolTable& table, EntryLocations which) {
  std::vector<Address> entries;
  for (const Symbol& symbol : table.symbols()) {
    if (which == EntryLocations::all || symbol.is_local) entries.push_back(symbol.address);
  }
  return entries;
}

}  // namespace

SourceSymbolTable::Parts function_symbols(const SymbolTable& table, const DebugInformation* debug,
                                          EntryLocations which) {
  LineRanges ranges;
  if (debug != nullptr) ranges = LineRanges::read_around(*debug, entries_of(table, which));
  FileRegister files(ranges);
  SourceSymbolTable::Parts parts;
  parts.symbols = located_functions(table, ranges, files);
  parts.files = files.take_files();
  parts.images = table.images();
  return parts;
}

}  // namespace gprof
