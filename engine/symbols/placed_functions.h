// Functions and the places of their entries, and the numbering of the files that they are in.
//
// Ownership: borrows the places. Thread contract: one thread.
#pragma once

#include <string>
#include <vector>

#include "engine/object/symbol_table.h"
#include "engine/symbols/code_places.h"
#include "engine/symbols/source_symbols.h"

namespace gprof {

// Paths of CodePlaces to the files of a SourceSymbolTable, in the order in which they are met.
class FileRegister {
 public:
  explicit FileRegister(const CodePlaces& places);
  // Precondition: a path of `places`.
  FileIndex number_of(PlaceIndex path);
  // Files that have a number.
  [[nodiscard]] std::size_t size() const { return files_.size(); }
  [[nodiscard]] std::vector<std::string> take_files() { return std::move(files_); }

 private:
  const CodePlaces& places_;
  std::vector<FileIndex> known_;  // by PlaceIndex
  std::vector<std::string> files_;
};

// Meets the files in the table's order of .symtab where it has one, else by rising addresses.
// Precondition: no file has a number yet.
[[nodiscard]] std::vector<SourceSymbol> placed_functions(const SymbolTable& table,
                                                         const CodePlaces& places,
                                                         FileRegister& files);

}  // namespace gprof
