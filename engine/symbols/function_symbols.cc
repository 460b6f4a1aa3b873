#include "engine/symbols/function_symbols.h"

#include <utility>

#include "engine/symbols/code_places.h"
#include "engine/symbols/placed_functions.h"

namespace gprof {
namespace {

// By rising address.
std::vector<Address> entries_of(const SymbolTable& table, EntryPlaces which) {
  std::vector<Address> entries;
  for (const Symbol& symbol : table.symbols()) {
    if (which == EntryPlaces::all || symbol.is_local) entries.push_back(symbol.address);
  }
  return entries;
}

SourceSymbolTable::Parts place_entries(const SymbolTable& table, const DebugInformation* debug,
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

}  // namespace

Expected<SourceSymbolTable::Parts> function_symbols(std::shared_ptr<const Image> image,
                                                    const DebugInformation* debug,
                                                    const GnuSymbolOptions& options,
                                                    EntryPlaces which) {
  const auto table = SymbolTable::build(std::move(image), nullptr, SymbolPolicy::gnu, options);
  if (!table) return table.error();
  return place_entries(*table, debug, which);
}

Expected<SourceSymbolTable::Parts> full_function_symbols(std::shared_ptr<const Image> image,
                                                         std::shared_ptr<const Image> debug_image,
                                                         const DebugInformation* debug) {
  const auto table =
      SymbolTable::build(std::move(image), std::move(debug_image), SymbolPolicy::full);
  if (!table) return table.error();
  return place_entries(*table, debug, EntryPlaces::all);
}

}  // namespace gprof
