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
  table.aliases_ = std::move(selection->aliases);
  table.images_ = std::move(selection->images);
  table.names_.reserve(table.symbols_.size() + table.aliases_.size());
  for (SymbolIndex index = 0; index < table.symbols_.size(); ++index) {
    table.names_.emplace_back(table.symbols_[index].name, index);
  }
  for (const auto& [index, name] : table.aliases_) table.names_.emplace_back(name, index);
  std::ranges::sort(table.names_);
  return table;
}

std::optional<SymbolIndex> SymbolTable::find(Address address) const {
  const auto after = std::ranges::upper_bound(symbols_, address, {}, &Symbol::address);
  if (after == symbols_.begin()) return std::nullopt;
  const auto found = std::prev(after);
  if (address >= found->end) return std::nullopt;
  return static_cast<SymbolIndex>(found - symbols_.begin());
}

std::optional<SymbolIndex> SymbolTable::find_by_name(std::string_view name) const {
  const auto found =
      std::ranges::lower_bound(names_, std::pair<std::string_view, SymbolIndex>(name, 0));
  if (found == names_.end() || found->first != name) return std::nullopt;
  return found->second;
}

std::vector<std::string_view> SymbolTable::aliases(SymbolIndex index) const {
  std::vector<std::string_view> names;
  const auto range =
      std::ranges::equal_range(aliases_, index, {}, &decltype(aliases_)::value_type::first);
  for (const auto& [owner, name] : range) names.push_back(name);
  return names;
}

}  // namespace gprof
