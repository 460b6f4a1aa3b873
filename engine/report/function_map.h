// gprof's map from functions to object files (-R), as `nm --print-file-name` prints it:
//
//   main.o:0000000000000000 T main
//
// Of a line, the text before the first colon and the last word count.
//
// Ownership: owns its names. Thread contract: immutable once read.
// Errors of reading: not_found, unreadable; corrupt (a line without a file name or without a
// function; `offset` is where it begins); no_profile_data for an empty map.
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
    // The line is the first of a run of lines of one file.
    bool first_of_file = false;
  };

  // `path` is for messages.
  static Expected<FunctionMap> read(std::span<const std::byte> bytes, const std::string& path);
  static Expected<FunctionMap> read_file(const std::filesystem::path& path);

  // By function; those of one function in the order of the lines.
  [[nodiscard]] std::span<const Entry> entries() const { return entries_; }
  // Where several lines name a function, the one that gprof's binary search comes upon.
  [[nodiscard]] const Entry* find(std::string_view function) const;

 private:
  std::vector<Entry> entries_;
};

// What a file ordering has to know of the map when it has been applied.
struct MappedSymbols {
  std::vector<Address> addresses;  // of the symbols that were renamed; ascending
  std::vector<std::string> files;  // of the map, sorted, each once
};

// Names the functions of a map after their files. As gprof has it, one symbol stands for a file: a
// mapped function whose line is not the first of its file's run vanishes from the table, and its
// code belongs to the symbol before it. Functions that are not mapped keep their names.
// For tables of functions. Call it when the symbols have been read and before anything else looks
// at them.
MappedSymbols apply_function_map(SourceSymbolTable::Parts& parts, const FunctionMap& map);

}  // namespace gprof
