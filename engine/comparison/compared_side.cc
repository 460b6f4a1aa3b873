#include "engine/comparison/compared_side.h"

#include <algorithm>

#include <fmt/format.h>

#include "engine/snapshot_view.h"

namespace gprof {
namespace {

// What a function's symbols propagate to each other is in the children of both.
Ticks handed_within(const Snapshot& run, SymbolIndex symbol) {
  Ticks handed = 0;
  const auto symbols = run.symbols().symbols();
  for (const ArcIndex index : run.estimated_graph().callers(symbol)) {
    const GraphArc& arc = run.estimated_graph().arc(index);
    if (arc.caller == no_symbol || arc.caller == symbol) continue;
    if (symbols[arc.caller].clone_of == symbols[symbol].clone_of) {
      handed += arc.self_share + arc.children_share;
    }
  }
  return handed;
}

// Calls of a clone by its own function are not calls from other functions.
void count_calls(const Snapshot& run, SymbolIndex symbol, FunctionRun& figures) {
  const auto symbols = run.symbols().symbols();
  for (const ArcIndex index : run.estimated_graph().callers(symbol)) {
    const GraphArc& arc = run.estimated_graph().arc(index);
    const bool own =
        arc.caller != no_symbol && symbols[arc.caller].clone_of == symbols[symbol].clone_of;
    if (own && symbols[symbol].clone == CloneKind::part && arc.caller != symbol) continue;
    (own ? figures.recursive_calls : figures.calls) += arc.count;
  }
}

bool has_figures(const GraphNode& node, Ticks measured) {
  return node.self > 0 || node.children > 0 || node.calls > 0 || node.self_calls > 0 ||
         measured > 0;
}

Error other_unit(const Snapshot& run, const std::string& expected) {
  return Error{ErrorCode::mismatch,
               fmt::format("counts in {}, the profiles before it in {}: compare profiles of one "
                           "unit",
                           run.profile().dimension(), expected),
               run.profile_paths().empty() ? std::string() : run.profile_paths().front(),
               std::nullopt};
}

Expected<std::shared_ptr<const Snapshot>> part_of_run(const std::shared_ptr<const Snapshot>& whole,
                                                      const ComparedPart& part) {
  if (part.cost.empty() && part.selection.is_all()) return whole;
  auto view = view_of(whole, part.cost, part.selection);
  if (view || !view.error().path.empty() || whole->profile_paths().empty()) return view;
  Error error = std::move(view).error();
  error.path = whole->profile_paths().front();
  return error;
}

}  // namespace

FunctionRun& ComparedSide::figures(SymbolIndex symbol, std::size_t run) {
  auto& runs = functions_[symbol];
  if (runs.size() <= run) runs.resize(run + 1);
  return runs[run];
}

Expected<void> ComparedSide::add(const Snapshot& run) {
  const FunctionCosts& profile = run.profile();
  if (runs_.empty() || !has_samples()) {
    dimension_ = profile.dimension();
    abbreviation_ = profile.dimension_abbreviation();
  } else if (profile.has_samples() && profile.dimension() != dimension_) {
    return other_unit(run, dimension_);
  }
  const std::size_t number = runs_.size();
  runs_.push_back({run.profile_paths().empty() ? std::string() : run.profile_paths().front(),
                   profile.ticks_per_second(), profile.program_ticks(), profile.has_samples(),
                   profile.has_arcs(), run.measured().known(), profile.errors()});
  const auto symbols = run.symbols().symbols();
  std::map<SymbolIndex, std::vector<SymbolIndex>> with_clones;
  for (SymbolIndex i = 0; i < symbols.size(); ++i) {
    const GraphNode& node = run.estimated_graph().node(i);
    if (!has_figures(node, run.measured().total(i))) continue;
    FunctionRun& function = figures(symbols[i].clone_of, number);
    function.self += node.self;
    function.estimated_total += node.total() - handed_within(run, i);
    count_calls(run, i, function);
    if (run.measured().known()) with_clones[symbols[i].clone_of].push_back(i);
  }
  for (const auto& [symbol, clones] : with_clones) {
    figures(symbol, number).measured_total = run.measured().total(clones);
  }
  for (auto& [symbol, runs] : functions_) runs.resize(runs_.size());
  add_externals(profile);
  return {};
}

// Of the newest run. The collector's time is no part of the program's.
void ComparedSide::add_externals(const FunctionCosts& profile) {
  for (const ModuleSamples& module : profile.elsewhere()) {
    if (module.collector || module.name.empty()) continue;
    auto& runs = externals_[{module.name, module.function}];
    runs.resize(runs_.size());
    runs.back() += module.ticks;
  }
  for (auto& [code, runs] : externals_) runs.resize(runs_.size());
}

bool ComparedSide::measured() const {
  return !runs_.empty() && std::all_of(runs_.begin(), runs_.end(),
                                       [](const ProgramRun& run) { return run.measured; });
}

bool ComparedSide::has_samples() const {
  return std::any_of(runs_.begin(), runs_.end(),
                     [](const ProgramRun& run) { return run.has_samples; });
}

bool ComparedSide::exact() const {
  return !runs_.empty() && std::all_of(runs_.begin(), runs_.end(),
                                       [](const ProgramRun& run) { return run.errors.exact(); });
}

bool ComparedSide::has_calls() const {
  return std::any_of(runs_.begin(), runs_.end(),
                     [](const ProgramRun& run) { return run.has_calls; });
}

Expected<ComparedSide> read_side(const AnalysisRequest& request, Warnings& warnings,
                                 const EachRun& each_run, const ComparedPart& part) {
  if (request.profiles.empty()) {
    return Error{ErrorCode::invalid_argument, "there is no profile to compare it by",
                 request.executable.string(), std::nullopt};
  }
  AnalysisRequest one = request;
  std::optional<ComparedSide> side;
  for (const auto& path : request.profiles) {
    one.profiles = {path};
    TRY_ASSIGN(auto whole, analyse(one));
    one.program = whole->program();
    one.like = whole;
    if (!side) side.emplace(one.program);
    TRY_ASSIGN(auto run, part_of_run(whole, part));
    TRY(side->add(*run));
    if (each_run) each_run(run);
    for (Error& warning : whole->warnings()) {
      const bool told = std::find(warnings.begin(), warnings.end(), warning) != warnings.end();
      if (!told) warnings.push_back(std::move(warning));
    }
  }
  return *std::move(side);
}

}  // namespace gprof
