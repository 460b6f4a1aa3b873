// Functions and the locations of their entries, and the numbering of their files.
//
// Ownership: borrows the places. Thread contract: one thread.
#pragma once

#include <string>
#include <vector>

#include "engine/object/symbol_table.h"
#include "engine/symbols/code_places.h"
#include "engine/symbols/source_symbols.h"

namespace gprof {

// Maps paths of CodePlaces to files of a SourceSymbolTable, in the order they are first seen.
class FileRegister {
 public:
  explicit FileRegister(const CodePlaces& places);
  // Precondition: a path of `places`.
  FileIndex number_of(PlaceIndex path);
  // The number of files numbered so far.
  [[nodiscard]] std::size_t size() const { return files_.size(); }
  [[nodiscard]] std::vector<std::string> take_files() { return std::move(files_); }

 private:
  const CodePlaces& places_;
  std::vector<FileIndex> known_;  // by PlaceIndex
  std::vector<std::string> files_;
};

// Numbers the files in .symtab's order if the table has it, else by ascending address.
// Precondition: no file has a number yet.
[[nodiscard]] std::vector<SourceSymbol> placed_functions(const SymbolTable& table,
                                                         const CodePlaces& places,
                                                         FileRegister& files);

}  // namespace gprof
