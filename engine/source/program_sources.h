// What is known of a program's sources without a profile: its files, where functions are defined,
// and their names. Decoded on demand and kept for all profiles of the program.
//
// Cost: proportional to the units asked for, plus the line table headers once. Results for places
// are cached longer than their units, tens of thousands of them: the callers of one function are
// spread over as many units, which are decoded again if there are many.
// Ownership: borrows the parts of its program, which owns them all. Thread contract: any thread.
// Errors: none; what the debug information does not say is empty.
#pragma once

#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "engine/dwarf/debug_information.h"
#include "engine/object/demangle.h"
#include "engine/object/symbol_table.h"
#include "engine/source/unit_cache.h"

namespace gprof {

struct SourceLocation {
  FileId file = no_file;
  LineNumber line = 0;
  friend auto operator<=>(const SourceLocation&, const SourceLocation&) = default;
};

class ProgramSources {
 public:
  // `debug_information` may be null.
  ProgramSources(const SymbolTable& symbols, const DebugInformation* debug_information);

  // Every file that the program was compiled from, including headers; reads the headers of all line
  // tables, once.
  [[nodiscard]] std::vector<FileId> all_files() const;
  [[nodiscard]] std::optional<FileId> find_file(std::string_view canonical_path) const;
  // Files with that base name, in any directory: for mapping build paths to a workspace.
  [[nodiscard]] std::vector<FileId> files_named(std::string_view base_name) const;
  [[nodiscard]] std::string path(FileId file) const;
  // See DebugInformation.
  [[nodiscard]] std::optional<SourceDigest> digest(FileId file) const;
  [[nodiscard]] bool has_conflicting_digests(FileId file) const;

  [[nodiscard]] std::vector<UnitIndex> units_of_file(FileId file) const;
  // Never null.
  [[nodiscard]] std::shared_ptr<const UnitLines> unit(UnitIndex index) const;
  // Decodes nothing.
  [[nodiscard]] std::optional<UnitIndex> unit_index_at(Address address) const;
  // The unit with code at the address; null if there is none.
  [[nodiscard]] std::shared_ptr<const UnitLines> unit_at(Address address) const;

  // Where a symbol's function is defined; clones count as their function.
  [[nodiscard]] std::optional<Declaration> declaration(SymbolIndex symbol) const;
  [[nodiscard]] DemangledName name(SymbolIndex symbol) const;
  // Where a call instruction is written: in the innermost inlined code that it lies in, where that
  // is called from, and so on, up to its function.
  [[nodiscard]] std::vector<SourceLocation> locations_of_call(Address call) const;
  // The location of a call instruction in the file where its function is written: if the call lies
  // in inlined code, the line of the inlined call.
  [[nodiscard]] std::optional<SourceLocation> location_in_function(Address call) const;

 private:
  const SymbolTable& symbols_;
  const DebugInformation* debug_information_;
  mutable std::optional<UnitCache> units_;

  [[nodiscard]] std::optional<Declaration> find_declaration(SymbolIndex symbol) const;
  [[nodiscard]] std::optional<SourceLocation> find_location_in_function(Address call) const;

  mutable std::mutex mutex_;  // guards the members below
  mutable std::unordered_map<std::string, std::vector<FileId>> files_by_name_;
  mutable std::unordered_map<SymbolIndex, std::optional<Declaration>> declarations_;
  mutable std::unordered_map<std::uint64_t, std::optional<SourceLocation>> locations_;  // by call
};

}  // namespace gprof
