// The symbols of a report and their source locations: functions or, by line (-l), also every range
// of code from one line. GNU gprof's view of a program, separate from SymbolTable, which has no
// files.
//
// Units: link-time addresses. Ownership: a table owns its file names and the names it made, and
// keeps alive the images that own the others. Thread contract: immutable.
#pragma once

#include <cstdint>
#include <deque>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/object/image.h"
#include "engine/object/symbol_table.h"
#include "engine/support/address_index.h"
#include "engine/support/name_view.h"
#include "engine/support/units.h"

namespace gprof {

// Index into SourceSymbolTable::files().
using FileIndex = std::uint32_t;
inline constexpr FileIndex no_source_file = std::numeric_limits<FileIndex>::max();

struct SourceSymbol {
  Address address;
  Address end;                          // exclusive; under -l, may exceed the next symbol's address
  [[no_unique_address]] NameView name;  // linkage name, from the symbol table or DWARF
  FileIndex file = no_source_file;
  LineNumber line = 0;
  bool is_function = false;
  bool is_static = false;
};
// With -l there is one for every line of a program.
static_assert(sizeof(SourceSymbol) == 40 || sizeof(void*) != 8);

class SourceSymbolTable {
 public:
  struct Parts {
    std::vector<SourceSymbol> symbols;  // ascending addresses, one symbol each
    std::vector<std::string> files;     // paths, in the order they were first seen
    std::deque<std::string> owned_names;
    std::vector<std::shared_ptr<const Image>> images;
    // Further storage that names view.
    std::vector<std::shared_ptr<const std::string>> shared_names = {};
    // Whether names have an underscore that is not in the source (Image::prefixes_names()).
    bool names_are_prefixed = false;
  };
  SourceSymbolTable() = default;
  explicit SourceSymbolTable(Parts parts) : parts_(std::move(parts)), index_(symbols()) {}
  // Move-only: symbols view the table's own names.
  SourceSymbolTable(SourceSymbolTable&&) = default;
  SourceSymbolTable& operator=(SourceSymbolTable&&) = default;
  SourceSymbolTable(const SourceSymbolTable&) = delete;
  SourceSymbolTable& operator=(const SourceSymbolTable&) = delete;
  ~SourceSymbolTable() = default;

  [[nodiscard]] std::span<const SourceSymbol> symbols() const { return parts_.symbols; }
  [[nodiscard]] const SourceSymbol& operator[](SymbolIndex index) const {
    return parts_.symbols[index];
  }
  [[nodiscard]] std::size_t size() const { return parts_.symbols.size(); }
  [[nodiscard]] std::span<const std::string> files() const { return parts_.files; }
  // What specifications and demangling call it: without the underscore that names may have. Orders
  // go by the whole name.
  [[nodiscard]] std::string_view unprefixed_name(const SourceSymbol& symbol) const {
    const std::string_view name = symbol.name;
    return parts_.names_are_prefixed && name.starts_with('_') ? name.substr(1) : name;
  }
  // Empty for no_source_file.
  [[nodiscard]] std::string_view path(FileIndex file) const;
  [[nodiscard]] std::string_view base_name(FileIndex file) const;

  // The nearest symbol at or before the address, if it ends after it.
  [[nodiscard]] std::optional<SymbolIndex> find(Address address) const;

 private:
  Parts parts_;
  AddressIndex index_;
};

[[nodiscard]] std::string_view base_name_of(std::string_view path);

}  // namespace gprof
