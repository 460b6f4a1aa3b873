#include "server/features/call_graph_around.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "server/features/cost_text.h"
#include "server/features/external_names.h"
#include "server/features/library_functions.h"
#include "server/features/shown_name.h"

namespace gprof::lsp {
namespace {

constexpr std::size_t most_nodes = 500;
constexpr std::size_t most_arcs = 5'000;
constexpr std::size_t most_sites_an_arc = 20;
constexpr std::size_t most_sites = 2'000;
constexpr std::uint32_t greatest_depth = 8;

class Graph {
 public:
  Graph(FunctionLocations& locations, bool demangle)
      : locations_(locations),
        snapshot_(*locations.program().snapshot),
        graph_(snapshot_.graph()),
        demangle_(demangle) {}

  CallGraphResult make(const CallGraphQuery& query);

 private:
  void add_roots(const std::vector<SymbolIndex>& roots);
  void add_library(const ExternalCode& function, const CallGraphQuery& query);
  void walk(std::vector<SymbolIndex> level, std::uint32_t distance, bool callers);
  void follow(SymbolIndex symbol, bool callers, std::vector<SymbolIndex>& next);
  [[nodiscard]] std::vector<ArcIndex> hottest_first(std::span<const ArcIndex> arcs) const;
  // None if the graph is full.
  std::optional<std::uint32_t> add_node(SymbolIndex symbol);
  void add_arc(ArcIndex index, std::uint32_t from, std::uint32_t to);
  [[nodiscard]] CallGraphNode describe(SymbolIndex symbol, std::uint32_t id);
  [[nodiscard]] std::vector<Location> sites(const GraphArc& arc);

  FunctionLocations& locations_;
  const Snapshot& snapshot_;
  const CallGraph& graph_;
  const bool demangle_;
  CallGraphResult result_;
  std::unordered_map<SymbolIndex, std::uint32_t> ids_;
  std::unordered_set<ArcIndex> arcs_;
  std::unordered_set<SymbolIndex> reached_;  // in the current direction
  std::size_t site_count_ = 0;
};

CallGraphResult Graph::make(const CallGraphQuery& query) {
  result_.basis = basis_of(snapshot_);
  if (query.library) {
    add_library(*query.library, query);
    return std::move(result_);
  }
  add_roots(query.roots);
  std::vector<SymbolIndex> shown;
  for (const SymbolIndex root : query.roots) {
    if (ids_.contains(root)) shown.push_back(root);
  }
  const std::uint32_t depth = std::clamp(query.depth, std::uint32_t{1}, greatest_depth);
  if (query.direction != GraphDirection::callees) walk(shown, depth, true);
  if (query.direction != GraphDirection::callers) walk(shown, depth, false);
  return std::move(result_);
}

void Graph::add_roots(const std::vector<SymbolIndex>& roots) {
  for (const SymbolIndex root : roots) {
    const auto id = add_node(root);
    if (!id) break;
    if (!result_.root) {
      result_.root = *id;
    } else {
      result_.other_roots.push_back(*id);
    }
  }
  if (result_.other_roots.empty()) return;
  CallGraphWhole whole;
  for (const SymbolIndex root : roots) {
    whole.calls += graph_.node(root).calls;
    whole.recursive_calls += graph_.node(root).self_calls;
  }
  std::vector<SymbolIndex> function = roots;
  std::ranges::sort(function);
  const FunctionTime time = snapshot_.times().of(function);
  const FunctionCosts& profile = snapshot_.profile();
  whole.self_seconds = profile.seconds(time.self);
  whole.child_seconds = profile.seconds(time.children);
  whole.total_error = profile.seconds(time.error);
  result_.whole = whole;
}

void Graph::add_library(const ExternalCode& function, const CallGraphQuery& query) {
  const FunctionCosts& profile = snapshot_.profile();
  const ExternalCallers callers = LibraryCallers(snapshot_).of(function);
  constexpr std::uint32_t root = 0;
  CallGraphNode node;
  node.id = root;
  node.function.name = shown_name(function, demangle_);
  node.function.linkage_name = external_name_with_module(function, false);
  node.self_seconds = profile.seconds(callers.self);
  node.child_seconds = profile.seconds(callers.total - callers.self);
  node.total_error = profile.seconds(profile.error_in_all_code(callers.total));
  result_.nodes.push_back(std::move(node));
  result_.root = root;
  if (query.direction == GraphDirection::callees) return;
  std::vector<SymbolIndex> level;
  for (const MeasuredArc& arc : callers.arcs) {
    const auto id = add_node(arc.caller);
    if (!id) continue;
    CallGraphArc to_library{*id,
                            root,
                            0,
                            profile.seconds(arc.self),
                            profile.seconds(arc.ticks - arc.self),
                            profile.seconds(profile.error_in_all_code(arc.ticks)),
                            {}};
    for (const ExternalCallSite& site : callers.sites) {
      if (site.caller != arc.caller || to_library.sites.size() >= most_sites_an_arc) continue;
      auto place = place_of_call(site, function, locations_);
      if (place) to_library.sites.push_back(std::move(*place));
    }
    result_.arcs.push_back(std::move(to_library));
    level.push_back(arc.caller);
  }
  const std::uint32_t depth = std::clamp(query.depth, std::uint32_t{1}, greatest_depth);
  walk(std::move(level), depth - 1, true);
}

// From the functions of a level, as many calls away.
void Graph::walk(std::vector<SymbolIndex> level, std::uint32_t distance, bool callers) {
  reached_.clear();
  reached_.insert(level.begin(), level.end());
  for (; distance > 0 && !level.empty(); --distance) {
    std::vector<SymbolIndex> next;
    for (const SymbolIndex symbol : level) follow(symbol, callers, next);
    level = std::move(next);
  }
}

void Graph::follow(SymbolIndex symbol, bool callers, std::vector<SymbolIndex>& next) {
  const auto arcs = callers ? graph_.callers(symbol) : graph_.callees(symbol);
  for (const ArcIndex index : hottest_first(arcs)) {
    const GraphArc& arc = graph_.arc(index);
    const SymbolIndex other = callers ? arc.caller : arc.callee;
    if (other == no_symbol || other == symbol ||
        (arc.count == 0 && arc.self_share + arc.children_share <= 0)) {
      continue;
    }
    const auto id = add_node(other);
    if (!id) continue;
    const std::uint32_t own = ids_.at(symbol);
    add_arc(index, callers ? *id : own, callers ? own : *id);
    if (reached_.insert(other).second) next.push_back(other);
  }
}

std::vector<ArcIndex> Graph::hottest_first(std::span<const ArcIndex> arcs) const {
  std::vector<ArcIndex> sorted(arcs.begin(), arcs.end());
  std::sort(sorted.begin(), sorted.end(), [&](ArcIndex a, ArcIndex b) {
    const GraphArc& arc_a = graph_.arc(a);
    const GraphArc& arc_b = graph_.arc(b);
    const Ticks time_a = arc_a.self_share + arc_a.children_share;
    const Ticks time_b = arc_b.self_share + arc_b.children_share;
    if (time_a != time_b) return time_a > time_b;
    return arc_a.count != arc_b.count ? arc_a.count > arc_b.count : a < b;
  });
  return sorted;
}

std::optional<std::uint32_t> Graph::add_node(SymbolIndex symbol) {
  const auto known = ids_.find(symbol);
  if (known != ids_.end()) return known->second;
  if (result_.nodes.size() >= most_nodes) {
    result_.truncated = true;
    return std::nullopt;
  }
  const auto id = static_cast<std::uint32_t>(result_.nodes.size());
  result_.nodes.push_back(describe(symbol, id));
  ids_.emplace(symbol, id);
  return id;
}

CallGraphNode Graph::describe(SymbolIndex symbol, std::uint32_t id) {
  const GraphNode& node = graph_.node(symbol);
  CallGraphNode result;
  result.id = id;
  result.function = locations_.named(symbol, demangle_);
  result.calls = node.calls;
  result.recursive_calls = node.self_calls;
  result.self_seconds = snapshot_.profile().seconds(node.self);
  result.child_seconds = snapshot_.profile().seconds(node.children);
  const FunctionTime time = snapshot_.times().of(std::span(&symbol, 1));
  result.total_error = snapshot_.profile().seconds(time.error);
  if (node.cycle != 0) result.cycle = node.cycle;
  return result;
}

void Graph::add_arc(ArcIndex index, std::uint32_t from, std::uint32_t to) {
  if (arcs_.contains(index)) return;
  if (result_.arcs.size() >= most_arcs) {
    result_.truncated = true;
    return;
  }
  arcs_.insert(index);
  const GraphArc& arc = graph_.arc(index);
  const FunctionCosts& profile = snapshot_.profile();
  result_.arcs.push_back({from, to, arc.count, profile.seconds(arc.self_share),
                          profile.seconds(arc.children_share),
                          profile.seconds(snapshot_.times().of(arc).error), sites(arc)});
}

std::vector<Location> Graph::sites(const GraphArc& arc) {
  std::vector<Location> found;
  if (site_count_ >= most_sites) return found;
  for (const CallLocation& call : snapshot_.source_index().call_locations(arc.caller, arc.callee)) {
    if (found.size() >= most_sites_an_arc) break;
    if (auto location = locations_.call(call.location, arc.callee))
      found.push_back(std::move(*location));
  }
  site_count_ += found.size();
  return found;
}

}  // namespace

CallGraphResult call_graph_around(const CallGraphQuery& query, FunctionLocations& locations,
                                  bool demangle) {
  return Graph(locations, demangle).make(query);
}

std::vector<SymbolIndex> symbols_named(const Snapshot& snapshot, std::string_view name) {
  const auto symbols = snapshot.symbols().symbols();
  std::vector<SymbolIndex> found;
  for (SymbolIndex symbol = 0; symbol < symbols.size(); ++symbol) {
    if (symbols[symbol].name == name) found.push_back(symbol);
  }
  const bool is_linkage_name = !found.empty();
  for (SymbolIndex symbol = 0; !is_linkage_name && symbol < symbols.size(); ++symbol) {
    const auto is_named = [&](const DemangledName& known) {
      return known.name == name || known.signature == name;
    };
    const DemangledName demangled = snapshot.sources().name(symbol);
    if (is_named(demangled) || is_named(shown_name(demangled))) found.push_back(symbol);
  }
  sort_by_heat(snapshot, found);
  return found;
}

void sort_by_heat(const Snapshot& snapshot, std::vector<SymbolIndex>& symbols) {
  std::stable_sort(symbols.begin(), symbols.end(), [&](SymbolIndex a, SymbolIndex b) {
    const GraphNode& node_a = snapshot.graph().node(a);
    const GraphNode& node_b = snapshot.graph().node(b);
    if (node_a.self != node_b.self) return node_a.self > node_b.self;
    if (node_a.total() != node_b.total()) return node_a.total() > node_b.total();
    return node_a.calls > node_b.calls;
  });
}

}  // namespace gprof::lsp
