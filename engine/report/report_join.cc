#include "engine/report/report_join.h"

#include <utility>

#include "engine/profile/call_sites.h"
#include "engine/report/tally.h"

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

// As the editor counts them: by call sites, spontaneous ones included. The functions of the full
// policy are the report's symbols, in the same order. Empty where they cannot be read again.
std::vector<SiteArc> count_arcs_accurately(const ReportProgram& program, const ProfileInput& input,
                                           const ReportData& data) {
  const auto functions = SymbolTable::build(program.image, program.debug_image, SymbolPolicy::full);
  if (!functions) return {};
  const MachineCode code(program.image);
  const CallSites call_sites(*functions, code, call_site_precision(input.sum));
  const Profile profile = Profile::attribute(input.sum, *functions, call_sites);
  std::vector<SiteArc> arcs;
  for (const SiteArc& arc : profile.site_arcs()) {
    const Address from = arc.caller == no_symbol ? arc.from_pc : data.symbols[arc.caller].address;
    const SourceSymbol& callee = data.symbols[arc.callee];
    if (data.selected.arc_chosen(from, {callee.address, callee.end})) arcs.push_back(arc);
  }
  return arcs;
}

}  // namespace

JoinedReport join_report(const ReportRequest& request, ReportProgram& program,
                         const ProfileInput& input) {
  JoinedReport joined;
  ReportData& data = joined.data;
  data.symbols = std::move(program.symbols);
  data.selected = SymspecTables::build(request.symspecs, data.symbols);
  data.has_samples = input.has_samples;
  data.has_arcs = input.has_arcs;

  data.samples = tally_samples(input.sum, data.symbols, data.selected);
  data.unknown_code = program.unknown_code;
  if (data.unknown_code != no_symbol) {
    data.samples.self[data.unknown_code] = data.samples.unattributed;
  }
  if (request.by_line) data.blocks = BlockTally(input.sum.blocks, data.symbols);

  // Only where the symbols are the program's functions, by which call sites are known.
  const bool by_call_site = request.accurate && !request.by_line &&
                            request.external_symbols.empty() && request.function_map.empty();
  joined.arcs = by_call_site ? count_arcs_accurately(program, input, data)
                             : tally_arcs(input.sum, data.symbols, data.selected);
  if (request.static_calls && input.has_arcs) {
    const MachineCode code(program.image);
    joined.static_arcs = find_static_arcs(code, input.sum, data.symbols);
  }
  // Static arcs are younger than all counted ones.
  std::vector<SiteArc> newest_first(joined.static_arcs.rbegin(), joined.static_arcs.rend());
  newest_first.insert(newest_first.end(), joined.arcs.begin(), joined.arcs.end());
  data.graph = CallGraph::build(data.samples.self, newest_first,
                                propagation_rules(data.selected, data.symbols));
  return joined;
}

}  // namespace gprof
