#include "server/features/report_symbols.h"

#include <algorithm>
#include <functional>
#include <string>

#include "engine/object/demangle.h"

namespace gprof::lsp {
namespace {

std::size_t hash_of(std::string_view name) { return std::hash<std::string_view>()(name); }

// Calls `use(name)` with each spelling of the symbol's name in reports.
template <typename Use>
void for_each_spelling(std::string_view linkage_name, Use use) {
  use(linkage_name);
  const std::string shown = demangle_like_gnu(linkage_name);
  if (shown != linkage_name) use(std::string_view(shown));
  const std::string signature = demangle(linkage_name).signature;
  if (signature != linkage_name && signature != shown) use(std::string_view(signature));
}

std::string_view base_name(std::string_view path) { return path.substr(path.rfind('/') + 1); }

}  // namespace

ReportSymbols::ReportSymbols(const SymbolTable& symbols) : symbols_(symbols) {
  entries_.reserve(symbols.size());
  for (SymbolIndex symbol = 0; symbol < symbols.size(); ++symbol) {
    const auto add = [&](std::string_view name) { entries_.emplace_back(hash_of(name), symbol); };
    for_each_spelling(symbols[symbol].name, add);
    for (const std::string_view alias : symbols.aliases(symbol)) for_each_spelling(alias, add);
  }
  std::sort(entries_.begin(), entries_.end());
}

std::vector<SymbolIndex> ReportSymbols::named(std::string_view name) const {
  std::vector<SymbolIndex> found;
  const std::size_t hash = hash_of(name);
  auto entry = std::lower_bound(entries_.begin(), entries_.end(), Entry{hash, 0});
  for (; entry != entries_.end() && entry->first == hash; ++entry) {
    if (!found.empty() && found.back() == entry->second) continue;
    bool same = false;
    const auto compare = [&](std::string_view spelling) { same = same || spelling == name; };
    for_each_spelling(symbols_[entry->second].name, compare);
    for (const std::string_view alias : symbols_.aliases(entry->second)) {
      if (!same) for_each_spelling(alias, compare);
    }
    if (same) found.push_back(entry->second);
  }
  return found;
}

ReportResolver::ReportResolver(const Snapshot& snapshot, const ReportSymbols& symbols,
                               const ReportDocument& document)
    : symbols_(symbols), snapshot_(snapshot) {
  for (const ReportName& name : document.names) {
    const bool tells = !name.note.empty() || name.calls || name.address;
    if (name.entry != 0 && tells) telling_.emplace(name.entry, &name);
  }
}

std::optional<ResolvedName> ReportResolver::resolve(const ReportName& name) {
  Candidates found = candidates(name);
  ReportSpan span = name.span;
  span.end = std::min(span.end, span.begin + found.name_size);
  std::optional<SymbolIndex> symbol;
  if (name.address) {
    symbol = by_address(name);
  } else if (is_one_place(found.symbols)) {
    symbol = found.symbols.front();
  } else if (!found.symbols.empty()) {
    symbol = by_line(name, std::move(found));
    if (!symbol && name.entry != 0) symbol = by_entry(name);
  }
  if (!symbol || !declaration(*symbol)) return std::nullopt;
  return ResolvedName{span, *symbol};
}

std::optional<SymbolIndex> ReportResolver::by_address(const ReportName& name) const {
  const auto symbol = snapshot_.symbols().find(*name.address);
  if (!symbol) return std::nullopt;
  const auto same_name = symbols_.named(name.name);
  const bool fits = std::find(same_name.begin(), same_name.end(), *symbol) != same_name.end();
  return fits ? symbol : std::nullopt;
}

ReportResolver::Candidates ReportResolver::candidates(const ReportName& name) const {
  Candidates result{symbols_.named(name.name), !name.note.empty(), name.name.size()};
  // In the index, a file and the parameters of a name look alike.
  const std::size_t note_size = name.note.size() + 3;
  const bool note_in_name = !name.note.empty() && name.name.size() > note_size &&
                            name.name.data() < name.note.data() &&
                            name.note.data() < name.name.data() + name.name.size();
  if (!note_in_name) return result;
  result.note_is_file = result.symbols.empty();
  if (!result.note_is_file) return result;
  result.name_size = name.name.size() - note_size;
  result.symbols = symbols_.named(name.name.substr(0, result.name_size));
  return result;
}

std::optional<SymbolIndex> ReportResolver::by_line(const ReportName& name, Candidates candidates) {
  std::vector<SymbolIndex>& symbols = candidates.symbols;
  if (candidates.note_is_file) {
    std::erase_if(symbols, [&](SymbolIndex symbol) { return !is_in_file(symbol, name.note); });
    if (is_one_place(symbols)) return symbols.front();
  }
  if (!name.calls) return std::nullopt;
  std::erase_if(symbols, [&](SymbolIndex symbol) {
    return snapshot_.graph().node(symbol).calls != *name.calls;
  });
  if (is_one_place(symbols)) return symbols.front();
  return std::nullopt;
}

std::optional<SymbolIndex> ReportResolver::by_entry(const ReportName& name) {
  const auto [known, is_new] = entries_.try_emplace(name.entry);
  if (!is_new) return known->second;
  const auto [first, last] = telling_.equal_range(name.entry);
  // All of them must agree, whatever their order.
  bool agree = true;
  std::optional<SymbolIndex> symbol;
  for (auto telling = first; telling != last; ++telling) {
    const auto told = by_line(*telling->second, candidates(*telling->second));
    if (!told) continue;
    agree = agree && (!symbol || *symbol == *told);
    symbol = told;
  }
  known->second = agree ? symbol : std::nullopt;
  return known->second;
}

bool ReportResolver::is_one_place(const std::vector<SymbolIndex>& symbols) {
  if (symbols.empty() || !declaration(symbols.front())) return false;
  const Declaration& first = *declaration(symbols.front());
  return std::all_of(symbols.begin() + 1, symbols.end(), [&](SymbolIndex symbol) {
    const auto& other = declaration(symbol);
    return other && other->file == first.file && other->line == first.line;
  });
}

const std::optional<Declaration>& ReportResolver::declaration(SymbolIndex symbol) {
  const auto known = declarations_.find(symbol);
  if (known != declarations_.end()) return known->second;
  return declarations_.emplace(symbol, snapshot_.sources().declaration(symbol)).first->second;
}

bool ReportResolver::is_in_file(SymbolIndex symbol, std::string_view file) {
  const auto& declared = declaration(symbol);
  if (!declared) return false;
  const std::string path = snapshot_.sources().path(declared->file);
  return path == file || base_name(path) == file;
}

}  // namespace gprof::lsp
