#include "engine/object/symbol_table.h"

#include <algorithm>
#include <string>

#include "engine/object/symbol_policies.h"
#include "engine/support/parallel.h"

namespace gprof {
namespace {

struct StoredName {
  std::uint64_t begin = 0;
  std::uint32_t size = 0;
  SymbolIndex symbol = 0;  // of an alias
};

struct StoredSymbol {
  Address address;
  Address end;
  std::uint64_t size = 0;
  StoredName name;
  SymbolIndex clone_of = 0;
  CloneKind clone = CloneKind::none;
  bool is_function = false;
  bool is_local = false;
};

StoredName add_name(std::string& names, std::string_view name, SymbolIndex symbol) {
  const StoredName stored = {names.size(), static_cast<std::uint32_t>(name.size()), symbol};
  names += name;
  return stored;
}

std::string_view name_in(std::string_view names, const StoredName& stored) {
  return names.substr(std::min<std::uint64_t>(stored.begin, names.size()), stored.size);
}

std::vector<Symbol> restored_symbols(std::span<const StoredSymbol> stored, std::string_view names) {
  constexpr std::size_t part_size = 32768;
  std::vector<Symbol> symbols(stored.size());
  for_each_index(
      (stored.size() + part_size - 1) / part_size, processor_count(), [&](std::size_t part) {
        const std::size_t begin = part * part_size;
        const std::size_t end = std::min(begin + part_size, stored.size());
        for (std::size_t i = begin; i < end; ++i) {
          const StoredSymbol& from = stored[i];
          symbols[i] = {from.address,     from.end,      from.size,  name_in(names, from.name),
                        from.is_function, from.is_local, from.clone, from.clone_of};
        }
      });
  return symbols;
}

}  // namespace

Expected<SymbolTable> SymbolTable::build(std::shared_ptr<const Image> image,
                                         std::shared_ptr<const Image> debug_image,
                                         SymbolPolicy policy, const GnuSymbolOptions& gnu_options) {
  auto selection = policy == SymbolPolicy::gnu
                       ? select_like_gnu(std::move(image), gnu_options)
                       : select_all_functions(std::move(image), std::move(debug_image));
  if (!selection) return std::move(selection).error();
  SymbolTable table;
  table.symbols_ = std::move(selection->symbols);
  table.index_ = AddressIndex(table.symbols());
  table.aliases_ = std::move(selection->aliases);
  table.table_order_ = std::move(selection->table_order);
  table.images_ = std::move(selection->images);
  return table;
}

std::optional<SymbolIndex> SymbolTable::find(Address address) const {
  const std::size_t after = index_.starting_by(address, symbols());
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

void SymbolTable::store(IndexWriter& index) const {
  std::string names;
  std::vector<StoredSymbol> symbols;
  symbols.reserve(symbols_.size());
  for (const Symbol& symbol : symbols_) {
    symbols.push_back({symbol.address, symbol.end, symbol.size, add_name(names, symbol.name, 0),
                       symbol.clone_of, symbol.clone, symbol.is_function, symbol.is_local});
  }
  std::vector<StoredName> aliases;
  for (const auto& [symbol, name] : aliases_) aliases.push_back(add_name(names, name, symbol));
  index.array(symbols);
  index.array(aliases);
  index.text(names);
  AddressIndex::exchange(index_, index);
}

SymbolTable SymbolTable::restore(IndexReader& index, std::shared_ptr<const Image> image) {
  SymbolTable table;
  const auto symbols = index.view<StoredSymbol>();
  const auto aliases = index.view<StoredName>();
  const std::string_view names = index.view_text();
  AddressIndex::exchange(table.index_, index);
  table.symbols_ = restored_symbols(symbols, names);
  const auto is_tied = [&](const Symbol& symbol) { return symbol.clone_of < symbols.size(); };
  if (!std::all_of(table.symbols_.begin(), table.symbols_.end(), is_tied)) index.fail();
  for (const StoredName& alias : aliases) {
    table.aliases_.emplace_back(alias.symbol, name_in(names, alias));
  }
  table.images_.push_back(std::move(image));
  table.names_ = index.index();
  return table;
}

}  // namespace gprof
