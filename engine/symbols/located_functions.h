// Functions and the locations of their entries, and the numbering of their files.
//
// Ownership: borrows the ranges. Thread contract: one thread.
#pragma once

#include <string>
#include <vector>

#include "engine/object/symbol_table.h"
#include "engine/symbols/line_ranges.h"
#include "engine/symbols/source_symbols.h"

namespace gprof {

// Maps paths of LineRanges to files of a SourceSymbolTable, in the order they are first seen.
class FileRegister {
 public:
  explicit FileRegister(const LineRanges& ranges);
  // Precondition: a path of `ranges`.
  FileIndex number_of(PathIndex path);
  // The number of files numbered so far.
  [[nodiscard]] std::size_t size() const { return files_.size(); }
  [[nodiscard]] std::vector<std::string> take_files() { return std::move(files_); }

 private:
  const LineRanges& ranges_;
  std::vector<FileIndex> known_;  // by PathIndex
  std::vector<std::string> files_;
};

// Numbers the files in .symtab's order if the table has it, else by ascending address.
// Precondition: no file has a number yet.
[[nodiscard]] std::vector<SourceSymbol> located_functions(const SymbolTable& table,
                                                          const LineRanges& ranges,
                                                          FileRegister& files);

}  // namespace gprof
