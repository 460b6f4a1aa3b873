// Ties clones to the functions they were made of, by name, compilation and nearness.
#include <algorithm>
#include <unordered_map>

#include "engine/object/clone_suffix.h"
#include "engine/object/symbol_policies.h"

namespace gprof {
namespace {

using NameIndex = std::unordered_map<std::string_view, std::vector<SymbolIndex>>;

// Upper bound on the equal names searched for the nearest one.
constexpr std::ptrdiff_t most_candidates = 4096;

std::uint64_t distance(Address a, Address b) { return a < b ? b - a : a - b; }

// Of several functions with that name, the one from the clone's source file, else the nearest.
SymbolIndex best_candidate(const SymbolSelection& selection,
                           const std::vector<std::uint32_t>& files,
                           const std::vector<SymbolIndex>& candidates, SymbolIndex clone) {
  const Address address = selection.symbols[clone].address;
  const auto middle = std::ranges::lower_bound(candidates, clone);
  const auto first = candidates.begin() +
                     std::max<std::ptrdiff_t>(0, middle - candidates.begin() - most_candidates);
  const auto last =
      candidates.end() - std::max<std::ptrdiff_t>(0, candidates.end() - middle - most_candidates);
  const auto rank = [&](SymbolIndex candidate) {
    const bool other_file = files[clone] != 0 && files[candidate] != files[clone];
    return std::pair(other_file, distance(selection.symbols[candidate].address, address));
  };
  return *std::min_element(first, last,
                           [&rank](SymbolIndex a, SymbolIndex b) { return rank(a) < rank(b); });
}

NameIndex index_names(const SymbolSelection& selection) {
  NameIndex by_name;
  for (SymbolIndex index = 0; index < selection.symbols.size(); ++index) {
    by_name[selection.symbols[index].name].push_back(index);
  }
  for (const auto& [index, name] : selection.aliases) by_name[name].push_back(index);
  for (auto& [name, indices] : by_name) std::ranges::sort(indices);
  return by_name;
}

SymbolIndex origin_of(const SymbolSelection& selection, const std::vector<std::uint32_t>& files,
                      const NameIndex& by_name, SymbolIndex clone) {
  for (const std::string_view name : clone_origin_names(selection.symbols[clone].name)) {
    const auto found = by_name.find(name);
    if (found != by_name.end()) return best_candidate(selection, files, found->second, clone);
  }
  return clone;
}

}  // namespace

void tie_clones(SymbolSelection& selection, const std::vector<std::uint32_t>& files) {
  std::vector<SymbolIndex> clones;
  for (SymbolIndex index = 0; index < selection.symbols.size(); ++index) {
    Symbol& symbol = selection.symbols[index];
    symbol.clone_of = index;
    if (symbol.clone != CloneKind::none) clones.push_back(index);
  }
  if (clones.empty()) return;
  const NameIndex by_name = index_names(selection);
  for (const SymbolIndex index : clones) {
    selection.symbols[index].clone_of = origin_of(selection, files, by_name, index);
  }
}

}  // namespace gprof
