// DWARF 2 to 5: compilation units, line rows, functions and inlined calls. The only part of the
// product that includes libdwarf, which reads what a unit says of itself; its entries (DIEs), line
// table and range lists are read here: see die_reader.h, line_program.h, range_lists.h.
//
// Cost: open() reads only the unit headers and unit DIEs. Everything else is decoded per unit, each
// time it is asked for; callers keep what they need.
// Units: link-time addresses; lines and columns from 1 (0 = unknown).
// Ownership: keeps the image alive. Thread contract: any thread; calls for different units run in
// parallel.
// Errors: no_debug_information, corrupt, unsupported. A damaged unit costs only that unit;
// warnings() names it.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/object/image.h"
#include "engine/object/language.h"
#include "engine/support/digest.h"
#include "engine/support/expected.h"
#include "engine/support/snapshot_file.h"
#include "engine/support/units.h"

namespace gprof {

// Index of a compilation unit.
using UnitIndex = std::uint32_t;
// A source file: the same number in every unit that names it. 0 means "no file".
using FileId = std::uint32_t;
inline constexpr FileId no_file = 0;

struct Unit {
  std::string name;  // as given to the compiler; empty if only the split file has it
  std::string compilation_directory;
  std::string producer;
  std::uint16_t dwarf_version = 0;
  Language language = Language::unknown;
  std::vector<AddressRange> ranges;  // may be empty if the unit does not say
  std::string split_file;            // .dwo name if the unit is split, else empty
  bool has_lines = false;
};

struct LineRow {
  Address address;
  FileId file = no_file;
  LineNumber line = 0;
  std::uint32_t column = 0;
  bool is_statement = false;
  // The row only marks the first address after a sequence; it has no line.
  bool end_of_sequence = false;
};

// Rows with file names as the compiler wrote them: "DIR/../x/./y.c" is not "DIR/x/y.c".
struct WrittenRows {
  std::vector<LineRow> rows;  // LineRow::file is 1 + an index into `paths`, or no_file
  // Including the compilation directory if relative; empty if no row is in the file.
  std::vector<std::string> paths;
};

// A place in a source file as a DIE declares it.
struct Declaration {
  FileId file = no_file;
  LineNumber line = 0;
  std::uint32_t column = 0;

  friend bool operator==(const Declaration&, const Declaration&) = default;
};

// A function of a unit: with code of its own, inlined somewhere, or both.
struct Subprogram {
  std::string name;          // qualified by namespaces and classes if known: "ns::box::grow"
  std::string own_name;      // without them
  std::string linkage_name;  // empty if it has none (C)
  Declaration declaration;   // of the definition if there is one, else of the declaration
  std::vector<AddressRange> ranges;  // its out-of-line code; empty if it has none in this unit
  // Ranges by index into .debug_rnglists (DW_FORM_rnglistx), which some tools do not read.
  bool has_indexed_ranges = false;
  Address entry;  // entry_pc or low_pc; meaningful only if `ranges` is not empty
};

// One inlined call: code of `callee` inside the code of another function.
struct InlinedCall {
  std::uint32_t callee = 0;     // index into UnitFunctions::subprograms
  std::uint32_t container = 0;  // index of the out-of-line subprogram whose code it lies in
  // Index of the inlined call directly around it; none if directly in `container`.
  std::optional<std::uint32_t> parent;
  std::vector<AddressRange> ranges;
  bool has_indexed_ranges = false;  // see Subprogram
  Declaration call_site;
  // If it is not the callee's: that of one of a constructor's symbols, or empty if the callee has a
  // clone's name, which the function itself does not have.
  std::optional<std::string> linkage_name;
};

struct UnitFunctions {
  std::vector<Subprogram> subprograms;
  std::vector<InlinedCall> inlined_calls;  // parents before children
};

// The code of a function, or of one of its inlined copies, with only its name.
struct NamedCode {
  std::string_view own_name;        // without namespaces and classes
  std::string_view linkage_name;    // empty if it has none (C)
  std::uint32_t first_range = 0;    // in UnitCode::ranges
  std::uint32_t range_count = 0;    // at least 1
  bool has_indexed_ranges = false;  // see Subprogram
};

struct UnitCode {
  std::vector<NamedCode> functions;  // as in UnitFunctions: subprograms, then inlined calls
  std::vector<AddressRange> ranges;
  // Holds a split unit's names; those of other units view bytes of DebugInformation::image().
  std::shared_ptr<const std::string> names;
};

class DebugInformation {
 public:
  // `image` holds the DWARF sections: the program itself or its separate debug file. Relative .dwo
  // names and NAME.dwp are looked up next to `program_path`.
  static Expected<std::unique_ptr<DebugInformation>> open(std::shared_ptr<const Image> image,
                                                          const std::string& program_path);
  // For a file whose units an index holds. Must not be used before restore_units(), which returns
  // whether the index holds what store_units() wrote. Errors: as open().
  static Expected<std::unique_ptr<DebugInformation>> restore(std::shared_ptr<const Image> image,
                                                             const std::string& program_path);
  [[nodiscard]] bool restore_units(SnapshotFileReader& index);
  ~DebugInformation();
  DebugInformation(const DebugInformation&) = delete;
  DebugInformation& operator=(const DebugInformation&) = delete;

  [[nodiscard]] std::span<const Unit> units() const;
  // Files that the unit's line table names (reads only its header), without duplicates.
  [[nodiscard]] std::vector<FileId> files(UnitIndex unit) const;
  // Rows in the order of the line number program: sequences, with ascending addresses in each.
  // Sequences at address 0 or outside the image's code (discarded by the linker) are left out.
  [[nodiscard]] Expected<std::vector<LineRow>> rows(UnitIndex unit) const;
  // The same rows with unresolved file paths.
  [[nodiscard]] Expected<WrittenRows> written_rows(UnitIndex unit) const;
  [[nodiscard]] Expected<UnitFunctions> functions(UnitIndex unit) const;
  // The part of functions() that reports by line need, without copies of names.
  [[nodiscard]] Expected<UnitCode> named_code(UnitIndex unit) const;

  // Absolute, '.' and '..' resolved lexically; relative to the compilation directory if DWARF's
  // path is. Relative if that directory is (-fdebug-prefix-map=DIR=.).
  [[nodiscard]] std::string path(FileId file) const;
  // Every file that a line table names. Reads the headers of all units, once.
  [[nodiscard]] std::vector<FileId> all_files() const;
  // The MD5 of the compiled text, if the compiler wrote it (clang, with DWARF 5). None if it did
  // not, or if units were compiled from different texts of the file, such as a header changed in
  // between. Reads the headers of all units, once.
  [[nodiscard]] std::optional<SourceDigest> digest(FileId file) const;
  [[nodiscard]] bool has_conflicting_digests(FileId file) const;
  [[nodiscard]] std::optional<FileId> find_file(std::string_view canonical_path) const;
  // Units whose line table names the file.
  [[nodiscard]] std::vector<UnitIndex> units_of_file(FileId file) const;
  // The unit whose ranges hold the address; units without ranges are searched by their rows.
  [[nodiscard]] std::optional<UnitIndex> unit_at(Address address) const;

  // Of the function whose out-of-line code holds the address. Once a unit was read for one of its
  // functions, those of all of them are known.
  [[nodiscard]] std::optional<Declaration> declaration_at(Address address) const;

  // How often functions() and named_code() have read the entries of a unit.
  [[nodiscard]] std::uint64_t unit_reads() const;
  [[nodiscard]] Warnings warnings() const;
  [[nodiscard]] const std::shared_ptr<const Image>& image() const;

  // What open() reads, and the files of all units, for which it reads their headers.
  void store_units(SnapshotFileWriter& index) const;

 private:
  struct State;
  explicit DebugInformation(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace gprof
