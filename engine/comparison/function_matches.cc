#include "engine/comparison/function_matches.h"

#include <algorithm>
#include <string>
#include <tuple>

#include "engine/object/clone_suffix.h"

namespace gprof {
namespace {

// More functions of one name than this are matched in order of the paths found first: their pairs
// would grow with the square.
constexpr std::size_t most_of_one_name = 200;

struct Candidate {
  std::size_t common = 0;
  std::size_t before = 0;
  std::size_t after = 0;
};

std::vector<std::string> files_of(const Program& program, std::span<const SymbolIndex> symbols) {
  std::vector<std::string> files;
  files.reserve(symbols.size());
  for (const SymbolIndex symbol : symbols) {
    const auto declared = program.sources().declaration(symbol);
    files.push_back(declared ? program.sources().path(declared->file) : std::string());
  }
  return files;
}

// Whether no other candidate of the same length has one of its ends.
bool stands_alone(const std::vector<Candidate>& candidates, const Candidate& candidate) {
  return std::none_of(candidates.begin(), candidates.end(), [&](const Candidate& other) {
    const bool same = other.before == candidate.before && other.after == candidate.after;
    return !same && other.common == candidate.common &&
           (other.before == candidate.before || other.after == candidate.after);
  });
}

// Appends the pairs, and what is left over on either side.
void match_namesakes(const Program& before, std::span<const SymbolIndex> old_symbols,
                     const Program& after, std::span<const SymbolIndex> new_symbols,
                     std::vector<FunctionMatch>& matches) {
  const auto old_files = files_of(before, old_symbols);
  const auto new_files = files_of(after, new_symbols);
  std::vector<Candidate> candidates;
  const bool bounded = old_files.size() <= most_of_one_name && new_files.size() <= most_of_one_name;
  for (std::size_t i = 0; bounded && i < old_files.size(); ++i) {
    for (std::size_t j = 0; j < new_files.size(); ++j) {
      const std::size_t common = common_end(old_files[i], new_files[j]);
      if (common > 0) candidates.push_back({common, i, j});
    }
  }
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const Candidate& a, const Candidate& b) { return a.common > b.common; });
  std::vector<bool> old_done(old_files.size());
  std::vector<bool> new_done(new_files.size());
  while (!candidates.empty()) {
    const Candidate best = candidates.front();
    const bool sure = stands_alone(candidates, best);
    if (sure) {
      matches.push_back({old_symbols[best.before], new_symbols[best.after]});
      old_done[best.before] = new_done[best.after] = true;
    }
    std::erase_if(candidates, [&](const Candidate& other) {
      const bool same = other.before == best.before && other.after == best.after;
      const bool taken = other.before == best.before || other.after == best.after;
      return same || (sure && taken);
    });
  }
  for (std::size_t i = 0; i < old_done.size(); ++i) {
    if (!old_done[i]) matches.push_back({old_symbols[i], no_symbol});
  }
  for (std::size_t j = 0; j < new_done.size(); ++j) {
    if (!new_done[j]) matches.push_back({no_symbol, new_symbols[j]});
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
      match_namesakes(before, old_symbols, after, new_symbols, matches);
    }
  }
  for (const auto& [name, new_symbols] : new_names.all()) {
    if (!old_names.named(name).empty()) continue;
    for (const SymbolIndex symbol : new_symbols) matches.push_back({no_symbol, symbol});
  }
  // The same order, whatever the hash table's.
  std::sort(matches.begin(), matches.end(), [](const FunctionMatch& a, const FunctionMatch& b) {
    return std::tie(a.after, a.before) < std::tie(b.after, b.before);
  });
  return matches;
}

}  // namespace gprof
