#include "engine/symbols/located_functions.h"

namespace gprof {
namespace {

// The range at an address that a report can use: one with a line.
const LineRange* line_at(LineRangeFinder& ranges, Address address) {
  const LineRange* range = ranges.at(address);
  return range != nullptr && range->line != 0 ? range : nullptr;
}

}  // namespace

FileRegister::FileRegister(const LineRanges& ranges)
    : ranges_(ranges), known_(ranges.paths().size(), no_source_file) {}

FileIndex FileRegister::number_of(PathIndex path) {
  FileIndex& number = known_[path];
  if (number == no_source_file) {
    number = static_cast<FileIndex>(files_.size());
    files_.push_back(ranges_.paths()[path]);
  }
  return number;
}

std::vector<SourceSymbol> located_functions(const SymbolTable& table, const LineRanges& ranges,
                                            FileRegister& files) {
  std::vector<SourceSymbol> result;
  std::vector<PathIndex> paths;  // of the entries
  result.reserve(table.size());
  paths.reserve(table.size());
  std::vector<bool> is_path_met(ranges.paths().size());
  std::size_t paths_met = 0;
  LineRangeFinder finder(ranges);
  for (const Symbol& symbol : table.symbols()) {
    SourceSymbol located{symbol.address, symbol.end, symbol.name};
    located.is_function = symbol.is_function;
    located.is_static = symbol.is_local;
    paths.push_back(no_path);
    if (const LineRange* range = line_at(finder, symbol.address)) {
      located.line = range->line;
      paths.back() = range->path;
      if (!is_path_met[range->path]) ++paths_met;
      is_path_met[range->path] = true;
    }
    result.push_back(located);
  }
  // .symtab does not list functions by address, so each needs a search: only until all files have
  // numbers.
  for (const Address address : table.table_order()) {
    if (files.size() == paths_met) break;
    if (const LineRange* range = line_at(finder, address)) (void)files.number_of(range->path);
  }
  for (std::size_t i = 0; i < result.size(); ++i) {
    if (paths[i] != no_path) result[i].file = files.number_of(paths[i]);
  }
  return result;
}

}  // namespace gprof
