// The two policies of SymbolTable::build(), each in a file of its own.
//
// Thread contract: pure functions. Ownership: names are views into the images' string tables; the
// images in SymbolSelection::images keep them alive. Errors: as SymbolTable::build().
#pragma once

#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/object/symbol_table.h"

namespace gprof {

struct SymbolSelection {
  std::vector<Symbol> symbols;                                    // by ascending address
  std::vector<std::pair<SymbolIndex, std::string_view>> aliases;  // by index, then preference
  std::vector<Address> table_order;                               // see SymbolTable::table_order()
  std::vector<std::shared_ptr<const Image>> images;
};

[[nodiscard]] Expected<SymbolSelection> select_all_functions(
    std::shared_ptr<const Image> image, std::shared_ptr<const Image> debug_image);

[[nodiscard]] Expected<SymbolSelection> select_like_gnu(std::shared_ptr<const Image> image,
                                                        const GnuSymbolOptions& options);

// Sets clone_of for every symbol. `files`, one entry per symbol, identifies compilations: equal
// numbers for local symbols of one source file, 0 if unknown.
void tie_clones(SymbolSelection& selection, const std::vector<std::uint32_t>& files);

// The error for an image without usable symbols, and what to do about it.
[[nodiscard]] Error no_symbols_error(const Image& image);

}  // namespace gprof
