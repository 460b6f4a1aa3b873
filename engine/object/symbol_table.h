// The functions of an image by address, under one of two policies for choosing symbols.
//
// Ownership: keeps the images alive that own the names. Thread contract: immutable.
// Errors: no_symbols if the policy keeps none; the message distinguishes a stripped file from one
// whose symbols are all elsewhere, and says what to do.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "engine/object/image.h"
#include "engine/support/address_index.h"
#include "engine/support/flat_array.h"
#include "engine/support/snapshot_file.h"

namespace gprof {

enum class SymbolPolicy : std::uint8_t {
  // For the editor: every function symbol, from .symtab, else .dynsym and .gnu_debugdata; one name
  // for aliases; clones kept apart and tied to their function; ends by symbol size.
  full,
  // GNU gprof 2.40's own choice, byte for byte; see docs/gnu-symbols.md.
  gnu,
};

struct GnuSymbolOptions {
  bool ignore_static = false;         // -a
  bool ignore_non_functions = false;  // -D
};

// Index into SymbolTable::symbols(), which are in ascending address order.
using SymbolIndex = std::uint32_t;

// What the compiler made a symbol for, judging by its suffix.
enum class CloneKind : std::uint8_t {
  none,
  specialised,  // .constprop.N, .isra.N, .clone.N, .simdclone, .llvm.N, …: has its own entry
  part,         // .part.N, .cold: a piece of the function's own body; calling it is not a new call
};

struct Symbol {
  Address address;
  Address end;             // exclusive: the first address that is not part of it
  std::uint64_t size = 0;  // from the symbol table; 0 if unknown
  // Linkage (mangled) name; without any @VERSION under the full policy, as stored under gnu.
  std::string_view name;
  bool is_function = false;
  bool is_local = false;
  CloneKind clone = CloneKind::none;
  // The function a clone belongs to; itself if it is no clone or its function has no symbol.
  SymbolIndex clone_of = 0;
};

class SymbolTable {
 public:
  // `image` is the program; `debug_image` its separate debug file, or null. Addresses are those of
  // `image`. `.gnu_debugdata` of `image` is used if neither has .symtab (full policy only).
  static Expected<SymbolTable> build(std::shared_ptr<const Image> image,
                                     std::shared_ptr<const Image> debug_image, SymbolPolicy policy,
                                     const GnuSymbolOptions& gnu_options = {});

  [[nodiscard]] std::span<const Symbol> symbols() const {
    return {symbols_.data(), symbols_.size()};
  }
  [[nodiscard]] const Symbol& operator[](SymbolIndex index) const { return symbols_[index]; }
  [[nodiscard]] std::size_t size() const { return symbols_.size(); }
  // The symbol whose [address, end) contains `address`.
  [[nodiscard]] std::optional<SymbolIndex> find(Address address) const;
  // find() for `count` addresses: address_of(i) returns them, found() receives each answer, in
  // order. Scattered addresses are found much faster in a batch: the data one needs is fetched
  // while others are processed.
  template <typename AddressOf, typename Found>
  void find_each(std::size_t count, const AddressOf& address_of, const Found& found) const {
    constexpr std::size_t together = 32;
    for (std::size_t begin = 0; begin < count; begin += together) {
      const std::size_t end = std::min(count, begin + together);
      for (std::size_t i = begin; i < end; ++i) index_.prefetch(address_of(i));
      for (std::size_t i = begin; i < end; ++i) index_.prefetch_placed(address_of(i), symbols());
      for (std::size_t i = begin; i < end; ++i) found(find(address_of(i)));
    }
  }
  // By linkage name, including aliases; if several symbols share the name, the one at the lowest
  // address.
  [[nodiscard]] std::optional<SymbolIndex> find_by_name(std::string_view name) const;
  // GNU's policy: the addresses of the symbols it keeps, in .symtab order, including those that
  // give way to another one at their address. Empty under the full policy.
  [[nodiscard]] std::span<const Address> table_order() const { return table_order_; }
  // Other names of the same address that were not chosen (full policy).
  [[nodiscard]] std::vector<std::string_view> aliases(SymbolIndex index) const;
  // Every name, including aliases: visit(symbol, name).
  template <typename Visit>
  void visit_names(const Visit& visit) const {
    for (SymbolIndex i = 0; i < symbols_.size(); ++i) visit(i, symbols_[i].name);
    for (const auto& [symbol, name] : aliases_) visit(symbol, name);
  }

  void store(SnapshotFileWriter& index) const;
  // What store() wrote for the same image; the names are the index's. Unless it is_sound(), only
  // its size may be used.
  static SymbolTable restore(SnapshotFileReader& index, std::shared_ptr<const Image> image);
  [[nodiscard]] bool is_sound() const;

  // The images that own the names; the program's is the first.
  [[nodiscard]] const std::vector<std::shared_ptr<const Image>>& images() const { return images_; }

 private:
  FlatArray<Symbol> symbols_;
  AddressIndex index_;
  std::vector<std::pair<SymbolIndex, std::string_view>> aliases_;  // sorted by index
  std::vector<Address> table_order_;
  std::vector<std::shared_ptr<const Image>> images_;
  // If no image owns the names: the index and the part of it that holds them.
  std::shared_ptr<const SnapshotFile> index_of_names_;
  std::string_view stored_names_;
};

}  // namespace gprof
