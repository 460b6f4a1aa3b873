#include "engine/symbols/placed_functions.h"

namespace gprof {
namespace {

// The place at an address that a report can use: one with a line.
const LineRange* source_place(PlaceFinder& places, Address address) {
  const LineRange* place = places.at(address);
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
  std::vector<SourceSymbol> result;
  std::vector<PlaceIndex> paths;  // of the entries
  result.reserve(table.size());
  paths.reserve(table.size());
  std::vector<bool> is_path_met(places.paths().size());
  std::size_t paths_met = 0;
  PlaceFinder finder(places);
  for (const Symbol& symbol : table.symbols()) {
    SourceSymbol placed{symbol.address, symbol.end, symbol.name};
    placed.is_function = symbol.is_function;
    placed.is_static = symbol.is_local;
    paths.push_back(no_place);
    if (const LineRange* place = source_place(finder, symbol.address)) {
      placed.line = place->line;
      paths.back() = place->path;
      if (!is_path_met[place->path]) ++paths_met;
      is_path_met[place->path] = true;
    }
    result.push_back(placed);
  }
  // .symtab does not list functions by address, so each needs a search: only until all files have
  // numbers.
  for (const Address address : table.table_order()) {
    if (files.size() == paths_met) break;
    if (const LineRange* place = source_place(finder, address)) (void)files.number_of(place->path);
  }
  for (std::size_t i = 0; i < result.size(); ++i) {
    if (paths[i] != no_place) result[i].file = files.number_of(paths[i]);
  }
  return result;
}

}  // namespace gprof
