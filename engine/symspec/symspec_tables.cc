#include "engine/symspec/symspec_tables.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace gprof {
namespace {

// What a specification matches in one program. The file is known by its base name, so one with
// folders matches none; of several files with the same name, gprof means the last one it saw.
class Matcher {
 public:
  // The symbols must outlive it.
  Matcher(std::string_view text, const SourceSymbolTable& symbols)
      : symbols_(symbols), symspec_(parse_symspec(text)) {
    if (symspec_.file.empty()) return;
    file_ = no_source_file;
    for (FileIndex file = 0; file < symbols.files().size(); ++file) {
      if (symbols.base_name(file) == symspec_.file) file_ = file;
    }
  }

  [[nodiscard]] bool matches_anything() const {
    return !file_ && symspec_.line == 0 && symspec_.function.empty();
  }

  [[nodiscard]] bool matches(const SourceSymbol& symbol) const {
    if (file_ && (*file_ == no_source_file || symbol.file != *file_)) return false;
    if (symspec_.line != 0 && symbol.line != symspec_.line) return false;
    return symspec_.function.empty() || symbols_.unprefixed_name(symbol) == symspec_.function;
  }

 private:
  const SourceSymbolTable& symbols_;
  Symspec symspec_;
  std::optional<FileIndex> file_;  // none: any
};

// What specifications match: ranges of code, one per symbol.
struct Matches {
  std::vector<AddressRange> ranges;
  AddressRange everything;  // by a specification that selects anything
};

// gprof takes "anything" for the code from the first symbol's start to the last one's end, which is
// that of .text: symbols after it (_fini, etext) are left out.
void append_matching(std::string_view text, const SourceSymbolTable& symbols, Matches& matches) {
  const Matcher matcher(text, symbols);
  if (matcher.matches_anything()) {
    if (symbols.size() == 0) return;
    matches.everything = {symbols.symbols().front().address, symbols.symbols().back().end};
    return;
  }
  for (const SourceSymbol& symbol : symbols.symbols()) {
    if (matcher.matches(symbol)) matches.ranges.push_back({symbol.address, symbol.end});
  }
}

SymbolSet matching(std::string_view text, const SourceSymbolTable& symbols) {
  Matches matches;
  append_matching(text, symbols, matches);
  return SymbolSet(std::move(matches.ranges), matches.everything);
}

// The collectors' functions are not part of the program, unless selected by name.
std::vector<AddressRange> collectors_functions(const SourceSymbolTable& symbols) {
  static constexpr std::array<std::string_view, 6> names = {
      "_gprof_mcount", "mcount", "_mcount", "__mcount", "__mcount_internal", "__mcleanup"};
  std::vector<AddressRange> ranges;
  for (const SourceSymbol& symbol : symbols.symbols()) {
    if (std::ranges::find(names, symbols.unprefixed_name(symbol)) != names.end()) {
      ranges.push_back({symbol.address, symbol.end});
    }
  }
  return ranges;
}

}  // namespace

SymbolSet::SymbolSet(std::vector<AddressRange> ranges, AddressRange everything)
    : ranges_(std::move(ranges)), everything_(everything) {
  // If the last symbol is after .text, it ends before it starts. gprof does not list such a symbol.
  std::erase_if(ranges_, [](const AddressRange& range) { return range.empty(); });
  std::ranges::stable_sort(ranges_, {}, &AddressRange::low);
  const auto repeated =
      std::unique(ranges_.begin(), ranges_.end(),
                  [](const AddressRange& a, const AddressRange& b) { return a.low == b.low; });
  ranges_.erase(repeated, ranges_.end());
}

bool SymbolSet::contains(Address address) const {
  if (everything_.contains(address)) return true;
  const auto after = std::ranges::upper_bound(ranges_, address, {}, &AddressRange::low);
  return after != ranges_.begin() && address < std::prev(after)->high;
}

Address SymbolSet::lowest() const {
  if (ranges_.empty()) return everything_.low;
  return everything_.empty() ? ranges_.front().low : std::min(ranges_.front().low, everything_.low);
}

std::vector<ArcSet::Ends> ArcSet::lowest_ends() const {
  std::vector<Ends> ends;
  for (const Pair& pair : pairs_) {
    if (!pair.to.empty()) ends.push_back({pair.from.lowest(), pair.to.lowest()});
  }
  return ends;
}

void ArcSet::add(SymbolSet from, SymbolSet to) {
  if (from.empty()) return;
  pairs_.push_back({std::move(from), std::move(to)});
}

bool SymbolSet::contains_all_of(AddressRange range) const {
  const auto holds = [range](const AddressRange& listed) {
    return listed.low <= range.low && range.high <= listed.high;
  };
  if (range.empty()) return false;
  if (holds(everything_)) return true;
  const auto after = std::ranges::upper_bound(ranges_, range.low, {}, &AddressRange::low);
  return after != ranges_.begin() && holds(*std::prev(after));
}

bool ArcSet::contains(Address from, AddressRange to) const {
  return std::ranges::any_of(pairs_, [&](const Pair& pair) {
    return pair.from.contains(from) && pair.to.contains_all_of(to);
  });
}

SymspecTables SymspecTables::build(std::span<const SymspecChoice> choices,
                                   const SourceSymbolTable& symbols) {
  SymspecTables tables;
  std::array<Matches, symspec_list_count> matches;
  for (const SymspecChoice& choice : choices) {
    const bool included = choice.list == SymspecList::include_arcs;
    if (!included && choice.list != SymspecList::exclude_arcs) {
      append_matching(choice.text, symbols, matches[static_cast<std::size_t>(choice.list)]);
      continue;
    }
    const std::string_view text = choice.text;
    const std::size_t slash = text.find('/');
    const bool has_target = slash != std::string_view::npos;
    (included ? tables.included_arcs_ : tables.excluded_arcs_)
        .add(matching(text.substr(0, slash), symbols),
             has_target ? matching(text.substr(slash + 1), symbols) : SymbolSet());
  }
  const std::vector<AddressRange> collectors = collectors_functions(symbols);
  for (const SymspecList list :
       {SymspecList::exclude_time, SymspecList::exclude_graph, SymspecList::exclude_flat}) {
    auto& ranges = matches[static_cast<std::size_t>(list)].ranges;
    ranges.insert(ranges.end(), collectors.begin(), collectors.end());
  }
  for (std::size_t list = 0; list < symspec_list_count; ++list) {
    tables.sets_[list] = SymbolSet(std::move(matches[list].ranges), matches[list].everything);
  }
  return tables;
}

bool SymspecTables::chosen(SymspecList include, SymspecList exclude, Address address) const {
  return symbols(include).empty() ? !symbols(exclude).contains(address)
                                  : symbols(include).contains(address);
}

bool SymspecTables::arc_chosen(Address from, AddressRange to) const {
  return included_arcs_.empty() ? !excluded_arcs_.contains(from, to)
                                : included_arcs_.contains(from, to);
}

}  // namespace gprof
