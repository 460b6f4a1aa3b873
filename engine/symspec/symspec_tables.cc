#include "engine/symspec/symspec_tables.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace gprof {
namespace {

// What a specification means in one program. The file is known by its base name; of several files
// that share one, gprof means the one that it met last.
class Matcher {
 public:
  Matcher(std::string_view text, const SourceSymbolTable& symbols) : symspec_(parse_symspec(text)) {
    if (symspec_.file.empty()) return;
    file_ = no_source_file;
    for (FileIndex file = 0; file < symbols.files().size(); ++file) {
      if (symbols.base_name(file) == base_name_of(symspec_.file)) file_ = file;
    }
  }

  [[nodiscard]] bool matches(const SourceSymbol& symbol) const {
    if (file_ && (*file_ == no_source_file || symbol.file != *file_)) return false;
    if (symspec_.line != 0 && symbol.line != symspec_.line) return false;
    return symspec_.function.empty() || symbol.name == symspec_.function;
  }

 private:
  Symspec symspec_;
  std::optional<FileIndex> file_;  // none: any
};

void append_matching(std::string_view text, const SourceSymbolTable& symbols,
                     std::vector<AddressRange>& ranges) {
  const Matcher matcher(text, symbols);
  for (const SourceSymbol& symbol : symbols.symbols()) {
    if (matcher.matches(symbol)) ranges.push_back({symbol.address, symbol.end});
  }
}

SymbolSet matching(std::string_view text, const SourceSymbolTable& symbols) {
  std::vector<AddressRange> ranges;
  append_matching(text, symbols, ranges);
  return SymbolSet(std::move(ranges));
}

// The collectors' functions are no part of the program, unless they are asked for by name.
void append_collectors_functions(const SourceSymbolTable& symbols,
                                 std::vector<AddressRange>& ranges) {
  static constexpr std::array<std::string_view, 6> names = {
      "_gprof_mcount", "mcount", "_mcount", "__mcount", "__mcount_internal", "__mcleanup"};
  for (const SourceSymbol& symbol : symbols.symbols()) {
    if (std::ranges::find(names, symbol.name) != names.end()) {
      ranges.push_back({symbol.address, symbol.end});
    }
  }
}

}  // namespace

SymbolSet::SymbolSet(std::vector<AddressRange> ranges) : ranges_(std::move(ranges)) {
  std::ranges::stable_sort(ranges_, {}, &AddressRange::low);
  const auto repeated = std::ranges::unique(ranges_, {}, &AddressRange::low);
  ranges_.erase(repeated.begin(), repeated.end());
}

bool SymbolSet::contains(Address address) const {
  const auto after = std::ranges::upper_bound(ranges_, address, {}, &AddressRange::low);
  return after != ranges_.begin() && address < std::prev(after)->high;
}

void ArcSet::add(SymbolSet from, SymbolSet to) {
  if (from.empty()) return;
  pairs_.push_back({std::move(from), std::move(to)});
}

bool ArcSet::contains(Address from, Address to) const {
  return std::ranges::any_of(
      pairs_, [&](const Pair& pair) { return pair.from.contains(from) && pair.to.contains(to); });
}

SymspecTables SymspecTables::build(std::span<const SymspecChoice> choices,
                                   const SourceSymbolTable& symbols) {
  SymspecTables tables;
  std::array<std::vector<AddressRange>, symspec_list_count> ranges;
  for (const SymspecChoice& choice : choices) {
    const bool included = choice.list == SymspecList::include_arcs;
    if (!included && choice.list != SymspecList::exclude_arcs) {
      append_matching(choice.text, symbols, ranges[static_cast<std::size_t>(choice.list)]);
      continue;
    }
    const std::string_view text = choice.text;
    const std::size_t slash = text.find('/');
    const bool has_target = slash != std::string_view::npos;
    (included ? tables.included_arcs_ : tables.excluded_arcs_)
        .add(matching(text.substr(0, slash), symbols),
             has_target ? matching(text.substr(slash + 1), symbols) : SymbolSet());
  }
  for (const SymspecList list :
       {SymspecList::exclude_time, SymspecList::exclude_graph, SymspecList::exclude_flat}) {
    append_collectors_functions(symbols, ranges[static_cast<std::size_t>(list)]);
  }
  for (std::size_t list = 0; list < symspec_list_count; ++list) {
    tables.sets_[list] = SymbolSet(std::move(ranges[list]));
  }
  return tables;
}

bool SymspecTables::chosen(SymspecList include, SymspecList exclude, Address address) const {
  return symbols(include).empty() ? !symbols(exclude).contains(address)
                                  : symbols(include).contains(address);
}

bool SymspecTables::arc_chosen(Address from, Address to) const {
  return included_arcs_.empty() ? !excluded_arcs_.contains(from, to)
                                : included_arcs_.contains(from, to);
}

}  // namespace gprof
