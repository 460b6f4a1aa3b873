#include "engine/comparison/function_matches.h"

#include <algorithm>
#include <string>
#include <tuple>
#include <utility>

#include "engine/object/clone_suffix.h"

namespace gprof {
namespace {

// Paths have fewer components than this; of longer ones, only so many are compared.
constexpr std::size_t most_components = 32;

std::vector<std::string> files_of(const Program& program, std::span<const SymbolIndex> symbols) {
  std::vector<std::string> files;
  files.reserve(symbols.size());
  for (const SymbolIndex symbol : symbols) {
    const auto declared = program.sources().declaration(symbol);
    files.push_back(declared ? program.sources().path(declared->file) : std::string());
  }
  return files;
}

// The last `count` components, or the whole path if it has fewer.
std::string_view end_of(std::string_view path, std::size_t count) {
  std::size_t at = path.size();
  while (count > 0 && at > 0) {
    const std::size_t slash = path.rfind('/', at - 1);
    if (slash == std::string_view::npos) return path;
    at = slash;
    --count;
  }
  return at < path.size() ? path.substr(at + 1) : std::string_view();
}

// One side's functions with one name, by the ends of their files' paths.
struct Namesakes {
  Namesakes(const Program& program, std::span<const SymbolIndex> named)
      : symbols(named), files(files_of(program, named)), done(named.size()) {}

  // Places by end; only those that are not done and have a file.
  [[nodiscard]] std::unordered_map<std::string_view, std::vector<std::size_t>> by_end(
      std::size_t components) const {
    std::unordered_map<std::string_view, std::vector<std::size_t>> places;
    for (std::size_t i = 0; i < files.size(); ++i) {
      if (!done[i] && !files[i].empty()) places[end_of(files[i], components)].push_back(i);
    }
    return places;
  }

  std::span<const SymbolIndex> symbols;
  std::vector<std::string> files;
  std::vector<bool> done;
};

// Appends the pairs, and the unmatched rest of both sides.
void match_namesakes(Namesakes before, Namesakes after, std::vector<FunctionMatch>& matches) {
  for (std::size_t components = most_components; components > 0; --components) {
    const auto new_places = after.by_end(components);
    for (const auto& [end, old_places] : before.by_end(components)) {
      const auto found = new_places.find(end);
      if (found == new_places.end()) continue;
      if (old_places.size() != 1 || found->second.size() != 1) continue;
      const std::size_t old_place = old_places.front();
      const std::size_t new_place = found->second.front();
      matches.push_back({before.symbols[old_place], after.symbols[new_place]});
      before.done[old_place] = after.done[new_place] = true;
    }
  }
  for (std::size_t i = 0; i < before.done.size(); ++i) {
    if (!before.done[i]) matches.push_back({before.symbols[i], no_symbol});
  }
  for (std::size_t i = 0; i < after.done.size(); ++i) {
    if (!after.done[i]) matches.push_back({no_symbol, after.symbols[i]});
  }
}

}  // namespace

std::string_view name_for_matching(const Symbol& symbol) {
  return split_clone_name(symbol.name).base;
}

FunctionNames::FunctionNames(const Program& program) {
  const auto symbols = program.symbols().symbols();
  for (SymbolIndex i = 0; i < symbols.size(); ++i) {
    if (symbols[i].clone_of == i) functions_[name_for_matching(symbols[i])].push_back(i);
  }
}

std::span<const SymbolIndex> FunctionNames::named(std::string_view name) const {
  const auto found = functions_.find(name);
  if (found == functions_.end()) return {};
  return found->second;
}

std::size_t common_end(std::string_view a, std::string_view b) {
  std::size_t components = 0;
  while (!a.empty() && !b.empty()) {
    const std::size_t at_a = a.rfind('/');
    const std::size_t at_b = b.rfind('/');
    const std::string_view end_a = at_a == std::string_view::npos ? a : a.substr(at_a + 1);
    const std::string_view end_b = at_b == std::string_view::npos ? b : b.substr(at_b + 1);
    if (end_a != end_b) break;
    ++components;
    if (at_a == std::string_view::npos || at_b == std::string_view::npos) break;
    a = a.substr(0, at_a);
    b = b.substr(0, at_b);
  }
  return components;
}

std::vector<FunctionMatch> match_functions(const Program& before, const Program& after) {
  const FunctionNames old_names(before);
  const FunctionNames new_names(after);
  std::vector<FunctionMatch> matches;
  for (const auto& [name, old_symbols] : old_names.all()) {
    const auto new_symbols = new_names.named(name);
    if (old_symbols.size() == 1 && new_symbols.size() == 1) {
      matches.push_back({old_symbols.front(), new_symbols.front()});
    } else if (new_symbols.empty()) {
      for (const SymbolIndex symbol : old_symbols) matches.push_back({symbol, no_symbol});
    } else {
      match_namesakes({before, old_symbols}, {after, new_symbols}, matches);
    }
  }
  for (const auto& [name, new_symbols] : new_names.all()) {
    if (!old_names.named(name).empty()) continue;
    for (const SymbolIndex symbol : new_symbols) matches.push_back({no_symbol, symbol});
  }
  // Independent of the hash table's order.
  std::sort(matches.begin(), matches.end(), [](const FunctionMatch& a, const FunctionMatch& b) {
    return std::tie(a.after, a.before) < std::tie(b.after, b.before);
  });
  return matches;
}

}  // namespace gprof
