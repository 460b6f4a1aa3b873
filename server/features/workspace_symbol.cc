#include "server/features/workspace_symbol.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <unordered_map>

#include "server/features/cost_text.h"
#include "server/features/function_locations.h"
#include "server/features/function_sums.h"
#include "server/features/name_search.h"
#include "server/features/other_programs.h"
#include "server/features/shown_name.h"

namespace gprof::lsp {
namespace {

// A function of one program, with its clones.
struct Candidate {
  const LoadedProgram* program = nullptr;
  std::size_t program_index = 0;
  SymbolIndex symbol = no_symbol;
  double heat = 0;
};

bool is_hotter(const Candidate& a, const Candidate& b) {
  if (a.heat != b.heat) return a.heat > b.heat;
  if (a.program_index != b.program_index) return a.program_index < b.program_index;
  return a.symbol < b.symbol;
}

// For copies, which do not call each other.
void add_to(FunctionSum& sum, const FunctionSum& other) {
  sum.calls += other.calls;
  sum.recursive_calls += other.recursive_calls;
  sum.time.self += other.time.self;
  sum.time.children += other.time.children;
}

struct Found {
  Candidate candidate;
  Declaration declaration;
  std::string name;
  Location location;
  FunctionSum sum;
  std::uint32_t instances = 1;
};

class Search {
 public:
  Search(const std::vector<LoadedProgram>& programs, const SymbolSearch& search,
         const OpenProgram& open_program)
      : programs_(programs), search_(search), open_program_(open_program) {}

  std::vector<WorkspaceSymbol> run();

 private:
  void collect(std::size_t program_index);
  [[nodiscard]] double heat(const FunctionCosts& profile, const FunctionSum& sum) const;
  [[nodiscard]] std::string name_of(const LoadedProgram& program, SymbolIndex symbol) const;
  void add(const Candidate& candidate);
  [[nodiscard]] FunctionLocations& locations_of(std::size_t program_index);
  void add_copies(std::size_t program_index);
  [[nodiscard]] WorkspaceSymbol symbol_of(Found found) const;

  const std::vector<LoadedProgram>& programs_;
  const SymbolSearch& search_;
  const OpenProgram& open_program_;
  std::vector<std::vector<FunctionSum>> sums_;  // by program
  std::vector<Candidate> candidates_;
  std::vector<Found> found_;
  // By name and place: copies of a static function, and the same source in several programs.
  std::set<std::tuple<std::string, std::uint32_t, std::string>> seen_;
  std::map<std::size_t, FunctionLocations> locations_;  // by program
};

double Search::heat(const FunctionCosts& profile, const FunctionSum& sum) const {
  switch (search_.metric) {
    case ShownMetric::time:
    case ShownMetric::self:
      return share_of(profile, sum.time.self);
    case ShownMetric::total:
      return share_of(profile, sum.time.total());
    case ShownMetric::calls:
    case ShownMetric::executions:
      break;
  }
  return static_cast<double>(sum.calls);
}

std::string Search::name_of(const LoadedProgram& program, SymbolIndex symbol) const {
  const Snapshot& snapshot = *program.snapshot;
  return search_.demangle ? shown_name(snapshot.sources(), symbol).name
                          : std::string(snapshot.symbols()[symbol].name);
}

void Search::collect(std::size_t program_index) {
  const LoadedProgram& program = programs_[program_index];
  const Snapshot& snapshot = *program.snapshot;
  const auto symbols = snapshot.symbols().symbols();
  auto& sums = sums_.emplace_back(symbols.size());
  for (const FunctionSum& sum : function_sums(snapshot)) {
    const SymbolIndex i = sum.symbol;
    sums[i] = sum;
    if (sum.calls == 0 && !(sum.time.total() > 0)) continue;
    if (!search_.query.empty()) {
      // An unmangled name need not be demangled.
      const std::string_view linkage_name = symbols[i].name;
      const bool mangled = linkage_name.starts_with('_');
      if (!holds_letters(mangled ? name_of(program, i) : linkage_name, search_.query)) continue;
    }
    candidates_.push_back({&program, program_index, i, heat(snapshot.profile(), sum)});
  }
}

std::vector<WorkspaceSymbol> Search::run() {
  for (std::size_t i = 0; i < programs_.size(); ++i) collect(i);
  // Most have no source available, or are copies: sort piecewise until there are enough.
  std::size_t sorted = 0;
  while (sorted < candidates_.size() && found_.size() < search_.limit) {
    const std::size_t end = std::min(candidates_.size(), sorted + 2 * search_.limit);
    std::partial_sort(candidates_.begin() + static_cast<std::ptrdiff_t>(sorted),
                      candidates_.begin() + static_cast<std::ptrdiff_t>(end), candidates_.end(),
                      is_hotter);
    for (; sorted < end && found_.size() < search_.limit; ++sorted) add(candidates_[sorted]);
  }
  for (std::size_t i = 0; i < programs_.size(); ++i) add_copies(i);
  std::stable_sort(found_.begin(), found_.end(), [](const Found& a, const Found& b) {
    return a.candidate.heat > b.candidate.heat;
  });
  std::vector<WorkspaceSymbol> symbols;
  symbols.reserve(found_.size());
  for (Found& found : found_) symbols.push_back(symbol_of(std::move(found)));
  return symbols;
}

// A static function of a header has a copy in every unit: one definition, one symbol.
void Search::add_copies(std::size_t program_index) {
  const LoadedProgram& program = programs_[program_index];
  const auto symbols = program.snapshot->symbols().symbols();
  std::unordered_map<std::string_view, std::vector<Found*>> by_name;
  for (Found& found : found_) {
    if (found.candidate.program_index != program_index) continue;
    const Symbol& symbol = symbols[found.candidate.symbol];
    if (symbol.is_local) by_name[symbol.name].push_back(&found);
  }
  if (by_name.empty()) return;
  const auto& sums = sums_[program_index];
  for (SymbolIndex i = 0; i < symbols.size(); ++i) {
    if (!symbols[i].is_local || symbols[i].clone_of != i) continue;
    const auto same_name = by_name.find(symbols[i].name);
    if (same_name == by_name.end()) continue;
    for (Found* found : same_name->second) {
      if (found->candidate.symbol == i) continue;
      if (program.snapshot->sources().declaration(i) != found->declaration) continue;
      add_to(found->sum, sums[i]);
      ++found->instances;
      found->candidate.heat = heat(program.snapshot->profile(), found->sum);
    }
  }
}

void Search::add(const Candidate& candidate) {
  const ProgramSources& sources = candidate.program->snapshot->sources();
  const auto declaration = sources.declaration(candidate.symbol);
  if (!declaration || declaration->line == 0) return;
  const auto path = candidate.program->paths->workspace_path(declaration->file);
  if (!path) return;
  std::string name = name_of(*candidate.program, candidate.symbol);
  if (!seen_.emplace(path->string(), declaration->line, name).second) return;
  const auto& location = locations_of(candidate.program_index).of(candidate.symbol);
  if (!location) return;
  const FunctionSum& sum = sums_[candidate.program_index][candidate.symbol];
  found_.push_back({candidate, *declaration, std::move(name), *location, sum});
}

FunctionLocations& Search::locations_of(std::size_t program_index) {
  const LoadedProgram& program = programs_[program_index];
  return locations_.try_emplace(program_index, program, open_program_(program)).first->second;
}

WorkspaceSymbol Search::symbol_of(Found found) const {
  const Snapshot& snapshot = *found.candidate.program->snapshot;
  FunctionCost cost;
  cost.calls = found.sum.calls;
  cost.recursive_calls = found.sum.recursive_calls;
  if (cost.calls + cost.recursive_calls > 0) cost.counting = CallCounting::counted;
  cost.self = found.sum.time.self;
  cost.children = found.sum.time.children;
  cost.measured = found.sum.time.measured;
  cost.instances = found.instances;
  cost.rank = snapshot.source_index().rank(found.candidate.symbol);
  cost.cycle = snapshot.graph().node(found.candidate.symbol).cycle;
  WorkspaceSymbol symbol;
  symbol.name = std::move(found.name);
  symbol.location = std::move(found.location);
  symbol.container_name = figures_text(*found.candidate.program, cost);
  if (programs_.size() > 1) {
    symbol.container_name += " · " + program_title(*found.candidate.program);
  }
  return symbol;
}

}  // namespace

std::vector<WorkspaceSymbol> workspace_symbols(const std::vector<LoadedProgram>& programs,
                                               const SymbolSearch& search,
                                               const OpenProgram& open_program) {
  return Search(programs, search, open_program).run();
}

}  // namespace gprof::lsp
