#include "engine/symbols/placed_functions.h"

namespace gprof {
namespace {

// The place at an address that is of use to a report: one with a line.
const CodePlace* source_place(const CodePlaces& places, Address address) {
  const CodePlace* place = places.at(address);
  return place != nullptr && place->line != 0 ? place : nullptr;
}

}  // namespace

FileRegister::FileRegister(const CodePlaces& places)
    : places_(places), known_(places.paths().size(), no_source_file) {}

FileIndex FileRegister::number_of(PlaceIndex path) {
  FileIndex& number = known_[path];
  if (number == no_source_file) {
    number = static_cast<FileIndex>(files_.size());
    files_.push_back(places_.paths()[path]);
  }
  return number;
}

std::vector<SourceSymbol> placed_functions(const SymbolTable& table, const CodePlaces& places,
                                           FileRegister& files) {
  for (const Address address : table.table_order()) {
    if (const CodePlace* place = source_place(places, address)) (void)files.number_of(place->path);
  }
  std::vector<SourceSymbol> result;
  result.reserve(table.size());
  for (const Symbol& symbol : table.symbols()) {
    SourceSymbol placed{symbol.address, symbol.end, symbol.name};
    placed.is_function = symbol.is_function;
    placed.is_static = symbol.is_local;
    if (const CodePlace* place = source_place(places, symbol.address)) {
      placed.file = files.number_of(place->path);
      placed.line = place->line;
    }
    result.push_back(placed);
  }
  return result;
}

}  // namespace gprof
