// gprof's map from functions to object files (-R), as `nm --print-file-name` prints it:
//
//   main.o:0000000000000000 T main
//
// Only the text before a line's first colon and the last word count.
//
// Ownership: owns its names. Thread contract: immutable once read.
// Errors of reading: not_found, unreadable; corrupt (a line without a file name or a function;
// `offset` is its start); no_profile_data for an empty map.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/support/expected.h"
#include "engine/symbols/source_symbols.h"

namespace gprof {

class FunctionMap {
 public:
  struct Entry {
    std::string function;
    std::string file;
    // The line is the first in a run of lines for one file.
    bool first_of_file = false;
  };

  // `path` is for messages.
  static Expected<FunctionMap> read(std::span<const std::byte> bytes, const std::string& path);
  static Expected<FunctionMap> read_file(const std::filesystem::path& path);

  // By function; entries of one function in line order.
  [[nodiscard]] std::span<const Entry> entries() const { return entries_; }
  // If several lines name a function, the one that gprof's binary search finds.
  [[nodiscard]] const Entry* find(std::string_view function) const;

 private:
  std::vector<Entry> entries_;
};

// What a file ordering needs of an applied map.
struct MappedSymbols {
  std::vector<Address> addresses;  // of renamed symbols, ascending
  std::vector<std::string> files;  // in the map, sorted, once each
};

// Renames mapped functions to their files. As in gprof, one symbol stands for a file: a mapped
// function whose line is not the first of its file's run is removed from the table, and its code
// belongs to the symbol before it. Functions that are not mapped keep their names. For tables of
// functions. Call it right after the symbols have been read, before any other use.
MappedSymbols apply_function_map(SourceSymbolTable::Parts& parts, const FunctionMap& map);

}  // namespace gprof
