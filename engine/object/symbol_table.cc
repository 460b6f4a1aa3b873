#include "engine/object/symbol_table.h"

#include <algorithm>

#include "engine/object/symbol_policies.h"

namespace gprof {

Expected<SymbolTable> SymbolTable::build(std::shared_ptr<const Image> image,
                                         std::shared_ptr<const Image> debug_image,
                                         SymbolPolicy policy, const GnuSymbolOptions& gnu_options) {
  auto selection = policy == SymbolPolicy::gnu
                       ? select_like_gnu(std::move(image), gnu_options)
                       : select_all_functions(std::move(image), std::move(debug_image));
  if (!selection) return std::move(selection).error();
  SymbolTable table;
  table.symbols_ = std::move(selection->symbols);
  table.index_ = AddressIndex(table.symbols_);
  table.aliases_ = std::move(selection->aliases);
  table.table_order_ = std::move(selection->table_order);
  table.images_ = std::move(selection->images);
  return table;
}

std::optional<SymbolIndex> SymbolTable::find(Address address) const {
  const std::size_t after = index_.starting_by(address, symbols_);
  if (after == 0 || address >= symbols_[after - 1].end) return std::nullopt;
  return static_cast<SymbolIndex>(after - 1);
}

std::optional<SymbolIndex> SymbolTable::find_by_name(std::string_view name) const {
  std::optional<SymbolIndex> lowest;
  const auto symbol = std::ranges::find(symbols_, name, &Symbol::name);
  if (symbol != symbols_.end()) lowest = static_cast<SymbolIndex>(symbol - symbols_.begin());
  const auto alias = std::ranges::find(aliases_, name, &decltype(aliases_)::value_type::second);
  if (alias != aliases_.end()) lowest = std::min(lowest.value_or(alias->first), alias->first);
  return lowest;
}

std::vector<std::string_view> SymbolTable::aliases(SymbolIndex index) const {
  std::vector<std::string_view> names;
  auto alias =
      std::ranges::lower_bound(aliases_, index, {}, &decltype(aliases_)::value_type::first);
  for (; alias != aliases_.end() && alias->first == index; ++alias) names.push_back(alias->second);
  return names;
}

}  // namespace gprof
