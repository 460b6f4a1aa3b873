#include "engine/object/symbol_table.h"

#include <algorithm>
#include <memory>
#include <string>

#include "engine/object/symbol_policies.h"
#include "engine/support/stored_checks.h"

namespace gprof {
namespace {

// Of an alias.
struct StoredName {
  std::uint64_t begin = 0;
  std::uint32_t size = 0;
  SymbolIndex symbol = 0;
};

StoredName add_name(std::string& names, std::string_view name, SymbolIndex symbol) {
  const StoredName stored = {names.size(), static_cast<std::uint32_t>(name.size()), symbol};
  names += name;
  return stored;
}

std::string_view name_in(std::string_view names, const StoredName& stored) {
  return names.substr(stored.begin, stored.size);
}

// The names lie in `names`, and find() works on the symbols: whatever else the index says of them
// may be wrong, but points nowhere.
bool are_sound(std::span<const Symbol> symbols, std::string_view names) {
  const auto begin = reinterpret_cast<std::uintptr_t>(names.data());
  return holds_for_all(symbols.size(), [&](std::size_t i) {
    const Symbol& symbol = symbols[i];
    const std::uintptr_t place = reinterpret_cast<std::uintptr_t>(symbol.name.data()) - begin;
    const bool named = place <= names.size() && symbol.name.size() <= names.size() - place;
    const bool placed =
        symbol.address <= symbol.end && (i == 0 || symbols[i - 1].address < symbol.address);
    return named && placed && symbol.clone_of < symbols.size() && symbol.clone <= CloneKind::part &&
           is_truth_value(symbol.is_function) && is_truth_value(symbol.is_local);
  });
}

// Sorted by symbol, with names that lie in `names`.
bool are_sound(std::span<const StoredName> aliases, std::string_view names, std::size_t symbols) {
  return holds_for_all(aliases.size(), [&](std::size_t i) {
    const StoredName& alias = aliases[i];
    return alias.symbol < symbols && alias.begin <= names.size() &&
           alias.size <= names.size() - alias.begin &&
           (i == 0 || aliases[i - 1].symbol <= alias.symbol);
  });
}

// Their names are in the index too: pointers to them need adjusting if it was displaced.
FlatArray<Symbol> symbols_in(const std::shared_ptr<const SnapshotFile>& index,
                             std::span<const Symbol> stored) {
  if (index->displacement() == 0) return {stored, index};
  std::vector<Symbol> moved(stored.begin(), stored.end());
  for (Symbol& symbol : moved) {
    symbol.name = {symbol.name.data() + index->displacement(), symbol.name.size()};
  }
  FlatArray<Symbol> symbols;
  symbols = std::move(moved);
  return symbols;
}

}  // namespace

Expected<SymbolTable> SymbolTable::build(std::shared_ptr<const Image> image,
                                         std::shared_ptr<const Image> debug_image,
                                         SymbolPolicy policy, const GnuSymbolOptions& gnu_options) {
  TRY_ASSIGN(auto selection, policy == SymbolPolicy::gnu
                                 ? select_like_gnu(std::move(image), gnu_options)
                                 : select_all_functions(std::move(image), std::move(debug_image)));
  SymbolTable table;
  table.symbols_ = std::move(selection.symbols);
  table.index_ = AddressIndex(table.symbols());
  table.aliases_ = std::move(selection.aliases);
  table.table_order_ = std::move(selection.table_order);
  table.images_ = std::move(selection.images);
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

void SymbolTable::store(SnapshotFileWriter& index) const {
  std::string names;
  std::vector<StoredName> aliases;
  for (const Symbol& symbol : symbols_) names += symbol.name;
  for (const auto& [symbol, name] : aliases_) aliases.push_back(add_name(names, name, symbol));
  std::vector<Symbol> symbols(symbols_.begin(), symbols_.end());
  const char* place = index.next_text();
  for (Symbol& symbol : symbols) {
    symbol.name = {place, symbol.name.size()};
    place += symbol.name.size();
  }
  index.text(names);
  index.array(symbols);
  index.array(aliases);
  AddressIndex::exchange(index_, index);
}

SymbolTable SymbolTable::restore(SnapshotFileReader& index, std::shared_ptr<const Image> image) {
  SymbolTable table;
  table.stored_names_ = index.view_text();
  const auto symbols = index.view<Symbol>();
  const auto aliases = index.view<StoredName>();
  AddressIndex::exchange(table.index_, index);
  if (!are_sound(aliases, table.stored_names_, symbols.size())) index.fail();
  if (!index.good()) return table;
  table.symbols_ = symbols_in(index.index(), symbols);
  for (const StoredName& alias : aliases) {
    table.aliases_.emplace_back(alias.symbol, name_in(table.stored_names_, alias));
  }
  table.images_.push_back(std::move(image));
  table.index_of_names_ = index.index();
  return table;
}

bool SymbolTable::is_sound() const {
  return are_sound(symbols(), stored_names_) && index_.is_of(symbols());
}

}  // namespace gprof
