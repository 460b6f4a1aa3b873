#include "engine/symbols/function_symbols.h"

#include "engine/symbols/code_places.h"
#include "engine/symbols/placed_functions.h"

namespace gprof {
namespace {

// By ascending address.
std::vector<Address> entries_of(const SymbolTable& table, EntryPlaces which) {
  std::vector<Address> entries;
  for (const Symbol& symbol : table.symbols()) {
    if (which == EntryPlaces::all || symbol.is_local) entries.push_back(symbol.address);
  }
  return entries;
}

}  // namespace

SourceSymbolTable::Parts function_symbols(const SymbolTable& table, const DebugInformation* debug,
                                          EntryPlaces which) {
  CodePlaces places;
  if (debug != nullptr) places = CodePlaces::read_around(*debug, entries_of(table, which));
  FileRegister files(places);
  SourceSymbolTable::Parts parts;
  parts.symbols = placed_functions(table, places, files);
  parts.files = files.take_files();
  parts.images = table.images();
  return parts;
}

}  // namespace gprof
