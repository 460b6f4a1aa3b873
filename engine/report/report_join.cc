#include "engine/report/report_join.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "engine/analysis/call_sites.h"
#include "engine/callgraph/function_times.h"
#include "engine/callgraph/measured_times.h"
#include "engine/callgraph/uninstrumented_code.h"
#include "engine/object/demangle.h"
#include "engine/report/name_order.h"
#include "engine/report/names.h"
#include "engine/report/tally.h"
#include "engine/snapshot.h"
#include "engine/support/parallel.h"

namespace gprof {
namespace {

PropagationRules propagation_rules(const SymspecTables& selected,
                                   const SourceSymbolTable& symbols) {
  PropagationRules rules;
  for (const SourceSymbol& symbol : symbols.symbols()) {
    const auto chosen = [&](SymspecList include, SymspecList exclude) {
      return selected.chosen(include, exclude, symbol.address);
    };
    const auto stopped = [&](SymspecList include, SymspecList exclude) {
      return selected.symbols(exclude).contains(symbol.address) &&
             !selected.symbols(include).contains(symbol.address);
    };
    rules.begins_time.push_back(chosen(SymspecList::include_time, SymspecList::exclude_time));
    rules.ends_time.push_back(stopped(SymspecList::include_time, SymspecList::exclude_time));
    rules.begins_printing.push_back(chosen(SymspecList::include_graph, SymspecList::exclude_graph));
    rules.ends_printing.push_back(stopped(SymspecList::include_graph, SymspecList::exclude_graph));
  }
  return rules;
}

// As the editor sees the program: calls by call site, including spontaneous ones, and measured
// times from stacks. The full policy's functions are the report's symbols, in the same order.
class AccurateJoin {
 public:
  AccurateJoin(SymbolTable functions, std::shared_ptr<const Image> image)
      : functions_(std::move(functions)), code_(std::move(image)) {}

  [[nodiscard]] std::vector<SiteArc> count_arcs(const ProfileInput& input,
                                                const ReportData& data) const;
  // If symbols are selected, the graph is a part of the program's, for which stacks have no times.
  void add_times(const ReportRequest& request, const ProfileInput& input, ReportData& data) const;
  // Whether the view's functions are these.
  [[nodiscard]] bool knows(const Snapshot& view) const {
    return view.symbols().size() == functions_.size();
  }

 private:
  [[nodiscard]] static std::vector<SiteArc> selected_arcs(const FunctionCosts& profile,
                                                          const ReportData& data);
  void add_times(const ReportRequest& request, const MeasuredTimes& measured,
                 ReportData& data) const;

  SymbolTable functions_;
  MachineCode code_;
};

std::vector<SiteArc> AccurateJoin::count_arcs(const ProfileInput& input,
                                              const ReportData& data) const {
  if (input.view) return selected_arcs(input.view->profile(), data);
  const CallSites call_sites(functions_, code_, call_site_precision(input.sum));
  return selected_arcs(FunctionCosts::attribute(input.sum, functions_, call_sites), data);
}

std::vector<SiteArc> AccurateJoin::selected_arcs(const FunctionCosts& profile,
                                                 const ReportData& data) {
  std::vector<SiteArc> arcs;
  for (const SiteArc& arc : profile.site_arcs()) {
    const Address from = arc.caller == no_symbol ? arc.from_pc : data.symbols[arc.caller].address;
    const SourceSymbol& callee = data.symbols[arc.callee];
    if (data.selected.arc_chosen(from, {callee.address, callee.end})) arcs.push_back(arc);
  }
  return arcs;
}

void AccurateJoin::add_times(const ReportRequest& request, const ProfileInput& input,
                             ReportData& data) const {
  if (!request.symspecs.empty()) return;
  if (input.view) return add_times(request, input.view->measured(), data);
  StackSamples stacks;
  for (const ProfileInput::Collected& run : input.collected) {
    stacks.add(run.sidecar, run.own_modules, functions_);
  }
  stacks.add_run_without(input.uncollected);
  const auto measured = measured_times(stacks, {}, data.symbols.symbols().size());
  add_times(request, *measured, data);
}

void AccurateJoin::add_times(const ReportRequest& request, const MeasuredTimes& measured,
                             ReportData& data) const {
  if (measured.known()) data.graph = data.graph.with(measured);
  if (!request.show_errors) return;
  const FunctionTimes times(data.graph, measured, data.errors);
  const auto count = static_cast<SymbolIndex>(data.symbols.symbols().size());
  for (SymbolIndex symbol = 0; symbol < count; ++symbol) {
    data.total_errors.push_back(times.of(std::span(&symbol, 1)).error);
  }
  if (!measured.known()) {
    data.bounds = std::make_shared<const BoundedTimes>(
        data.graph, find_uninstrumented_code(functions_, code_, data.graph), data.errors);
  }
}

std::string shown_name(const ReportRequest& request, const ModuleSamples& module) {
  if (module.name.empty()) return "[unknown]";
  std::string name = fmt::format("[{}]", module.name);
  if (!module.function.empty()) {
    const bool demangled = request.demangle && !request.traditional;
    name = fmt::format("{} {}", demangled ? demangle(module.function).signature : module.function,
                       name);
  }
  return request.one_line_names ? without_line_breaks(std::move(name)) : name;
}

// Without what the collector took, which is no part of the program's time.
std::vector<ExternalTime> external_times(const ReportRequest& request, const ProfileInput& input) {
  std::vector<ExternalTime> times;
  if (!request.symspecs.empty()) return times;
  const auto elsewhere = input.view ? input.view->profile().elsewhere() : input.samples.elsewhere();
  for (const ModuleSamples& module : elsewhere) {
    if (module.collector || !(module.ticks > 0)) continue;
    times.push_back({shown_name(request, module), module.ticks});
  }
  return times;
}

// Null if they cannot be read again, or the report has other symbols.
std::unique_ptr<AccurateJoin> accurate_join(const ReportRequest& request,
                                            const ReportProgram& program,
                                            const ProfileInput& input) {
  const bool of_functions = request.accurate && !request.by_line &&
                            request.external_symbols.empty() && request.function_map.empty();
  if (!of_functions) return nullptr;
  auto functions = SymbolTable::build(program.image, program.debug_image, SymbolPolicy::full);
  if (!functions) return nullptr;
  auto join = std::make_unique<AccurateJoin>(std::move(*functions), program.image);
  return input.view && !join->knows(*input.view) ? nullptr : std::move(join);
}

}  // namespace

std::unique_ptr<JoinedReport> join_report(const ReportRequest& request, ReportProgram& program,
                                          ProfileInput& input) {
  auto result = std::make_unique<JoinedReport>();
  JoinedReport& joined = *result;
  ReportData& data = joined.data;
  data.symbols = std::move(program.symbols);
  data.selected = SymspecTables::build(request.symspecs, data.symbols);
  data.has_samples = input.has_samples;
  data.has_arcs = input.has_arcs;
  data.errors = input.view ? input.view->profile().errors() : input.samples.errors();

  const auto accurate = accurate_join(request, program, input);
  PropagationRules rules;
  run_beside(
      [&] {
        joined.arcs = accurate ? accurate->count_arcs(input, data)
                               : tally_arcs(input.sum, data.symbols, data.selected);
      },
      [&] {
        data.samples = input.view
                           ? tally_of_profile(input.view->profile(), data.symbols, data.selected)
                           : tally_samples(input.sum, data.symbols, data.selected);
        rules = propagation_rules(data.selected, data.symbols);
      });
  data.unknown_code = program.unknown_code;
  if (data.unknown_code != no_symbol) {
    data.samples.self[data.unknown_code] = data.samples.unattributed;
  }
  if (request.static_calls && input.has_arcs) {
    const MachineCode code(program.image);
    joined.static_arcs = find_static_arcs(code, input.sum, data.symbols);
  }
  // Static arcs are newer than all counted ones.
  std::vector<SiteArc> newest_first;
  if (!joined.static_arcs.empty()) {
    newest_first.assign(joined.static_arcs.rbegin(), joined.static_arcs.rend());
    newest_first.insert(newest_first.end(), joined.arcs.begin(), joined.arcs.end());
  }
  const std::span<const SiteArc> arcs = newest_first.empty() ? joined.arcs : newest_first;
  run_beside([&] { data.graph = CallGraph::build(data.samples.self, arcs, rules); },
             [&] {
               if (request.by_line) data.blocks = BlockTally(input.sum.blocks, data.symbols);
               const bool needs_records =
                   request.debug_topics != 0 || request.kinds.contains(ReportKind::summary_file);
               if (!needs_records) input.sum = RawProfile();
               data.by_name = symbols_by_name(data.symbols);
               joined.names.emplace(request, data, used_symbols(request, data, arcs));
             });
  if (accurate) {
    data.external = external_times(request, input);
    accurate->add_times(request, input, data);
  }
  return result;
}

}  // namespace gprof
