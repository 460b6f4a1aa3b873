// The header of a line number program: its directories and files (DWARF 5, section 6.2.4).
//
// Read here, not by libdwarf, which takes quadratic time in the number of files.
//
// Ownership: names are views of the sections' bytes. Thread contract: immutable data, any thread.
// Errors: corrupt; unsupported for versions other than 2 to 5.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/dwarf/dwarf_sections.h"
#include "engine/dwarf/indexed_tables.h"
#include "engine/support/digest.h"
#include "engine/support/expected.h"

namespace gprof::dwarf {

struct LineHeader {
  struct File {
    std::string_view name;
    std::uint64_t directory = 0;
    std::optional<SourceDigest> digest;  // of the compiled text (DWARF 5)
  };
  std::uint16_t version = 0;
  std::uint8_t address_size = 8;
  std::uint8_t minimum_instruction_length = 1;
  std::uint8_t operations_per_instruction = 1;  // at least 1
  bool default_is_statement = true;
  std::int8_t line_base = 0;
  std::uint8_t line_range = 1;   // at least 1
  std::uint8_t opcode_base = 1;  // at least 1
  Bytes opcode_lengths;          // operands of the opcodes 1 to opcode_base - 1
  Bytes program;                 // the instructions
  // Numbered from 0 as in DWARF 5; in earlier versions, 0 is the compilation directory.
  std::vector<std::string_view> directories;
  // By the number that rows and DIEs use. Before DWARF 5, number 0 is no file.
  std::vector<File> files;
};

// Bytes of the table at `offset` of .debug_line, according to its first fields; 0 if they are
// damaged.
struct LineTableSize {
  std::uint64_t header = 0;
  std::uint64_t all = 0;
};
[[nodiscard]] LineTableSize line_table_size(const DwarfSections& sections, std::uint64_t offset);

// The header at `offset` of .debug_line.
[[nodiscard]] Expected<LineHeader> read_line_header(const DwarfSections& sections,
                                                    std::uint64_t offset, const UnitHeader& unit,
                                                    const UnitBases& bases);

// Canonical paths by file number; empty for anything but files, e.g. "<built-in>".
[[nodiscard]] std::vector<std::string> file_paths(const LineHeader& header,
                                                  std::string_view compilation_directory);

// The path of a file as the compiler wrote it, not resolved: COMPILATION_DIRECTORY/DIRECTORY/NAME,
// starting at the last of the three that is absolute. Empty for a file without a name.
// Precondition: the header has the file.
[[nodiscard]] std::string written_path(const LineHeader& header, std::size_t file_number,
                                       std::string_view compilation_directory);

}  // namespace gprof::dwarf
