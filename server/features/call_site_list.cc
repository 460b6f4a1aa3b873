#include "server/features/call_site_list.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string_view>
#include <tuple>

#include "server/features/cost_text.h"
#include "server/features/shown_name.h"

namespace gprof::lsp {
namespace {

constexpr std::size_t most_entries = 10'000;

// Calls of one arc from lines that the profile cannot tell apart.
struct ArcPart {
  std::vector<Location> lines;  // empty: none is in the text
  std::vector<Address> from_pcs;
  std::uint64_t count = 0;
  Ticks ticks = 0;
  Ticks variance = 0;  // of a measured time
  Ticks error = 0;     // of an estimated one: parts of a whole have correlated errors
};

struct Entry {
  CallSite site;
  Ticks ticks = 0;
  Ticks variance = 0;
  Ticks error = 0;
  bool timed = false;
  SymbolIndex other = no_symbol;
};

class CallSiteList {
 public:
  CallSiteList(const FunctionCost& function, bool callers, FunctionLocations& locations,
               bool demangle)
      : function_(function),
        callers_(callers),
        locations_(locations),
        demangle_(demangle),
        snapshot_(*locations.program().snapshot),
        graph_(snapshot_.graph()) {}

  CallSitesResult make();

 private:
  [[nodiscard]] std::vector<ArcIndex> arcs() const;
  void add_arc(const GraphArc& arc);
  void add(const ArcPart& part, const GraphArc& arc);
  [[nodiscard]] std::vector<ArcPart> parts_of(const GraphArc& arc);
  [[nodiscard]] std::vector<Location> lines_of(const LocatedCalls& calls, SymbolIndex callee);
  void share_out(const GraphArc& arc, const std::vector<LocatedCalls>& calls,
                 std::vector<ArcPart>& parts) const;
  [[nodiscard]] bool is_own(SymbolIndex symbol) const {
    return std::binary_search(function_.symbols.begin(), function_.symbols.end(), symbol);
  }
  // Whether the arc propagates time: within the function the time is its own already, and within a
  // cycle it is unknown.
  [[nodiscard]] bool is_timed(const GraphArc& arc) const;
  [[nodiscard]] std::string name_of(SymbolIndex symbol) const;
  void make_names_distinct();
  [[nodiscard]] std::vector<CallSite> take_sites();

  // Identifies an entry: the other function, as its source defines it, and the lines.
  using Key = std::tuple<std::string, std::string, std::vector<std::string>>;

  const FunctionCost& function_;
  const bool callers_;
  FunctionLocations& locations_;
  const bool demangle_;
  const Snapshot& snapshot_;
  const CallGraph& graph_;
  std::map<Key, Entry> entries_;
  bool truncated_ = false;
};

std::string key_of(const Location& location) {
  return link_to(location) + ":" + std::to_string(location.range.start.character);
}

// Those without a place are last.
std::pair<bool, LocationOrder> order_of_place(const std::optional<Location>& place) {
  return {!place, place ? order_of(*place) : LocationOrder()};
}

CallSitesResult CallSiteList::make() {
  for (const ArcIndex index : arcs()) {
    if (entries_.size() >= most_entries) {
      truncated_ = true;
      break;
    }
    add_arc(graph_.arc(index));
  }
  CallSitesResult result;
  result.name = demangle_ || function_.symbols.empty() ? shown_name(snapshot_.sources(), function_)
                                                       : name_of(function_.symbols.front());
  result.basis = basis_of(snapshot_);
  result.sites = take_sites();
  const bool has_times = std::ranges::any_of(
      result.sites, [](const CallSite& site) { return site.seconds.has_value(); });
  if (has_times) {
    const FunctionTime time = snapshot_.times().of(function_.symbols);
    const Ticks together = callers_ ? time.total() : time.children;
    result.seconds = snapshot_.profile().seconds(together);
  }
  result.truncated = truncated_;
  return result;
}

// Hottest first: if there are too many, these are kept.
std::vector<ArcIndex> CallSiteList::arcs() const {
  std::vector<ArcIndex> found;
  for (const SymbolIndex symbol : function_.symbols) {
    const auto of_symbol = callers_ ? graph_.callers(symbol) : graph_.callees(symbol);
    found.insert(found.end(), of_symbol.begin(), of_symbol.end());
  }
  const auto heat = [&](ArcIndex index) {
    const GraphArc& arc = graph_.arc(index);
    const bool own = is_own(callers_ ? arc.caller : arc.callee);
    return std::tuple(!own, arc.self_share + arc.children_share, arc.count);
  };
  std::stable_sort(found.begin(), found.end(),
                   [&](ArcIndex a, ArcIndex b) { return heat(a) > heat(b); });
  return found;
}

bool CallSiteList::is_timed(const GraphArc& arc) const {
  if (!has_times(snapshot_.profile()) || is_own(callers_ ? arc.caller : arc.callee)) return false;
  if (graph_.is_measured() || arc.caller == no_symbol) return true;
  const CycleNumber cycle = graph_.node(arc.callee).cycle;
  return cycle == 0 || graph_.node(arc.caller).cycle != cycle;
}

void CallSiteList::add_arc(const GraphArc& arc) {
  if (arc.count == 0 && !(arc.self_share + arc.children_share > 0)) return;
  for (const ArcPart& part : parts_of(arc)) add(part, arc);
}

void CallSiteList::add(const ArcPart& part, const GraphArc& arc) {
  const SymbolIndex other = callers_ ? arc.caller : arc.callee;
  std::optional<Location> definition;
  if (other != no_symbol) definition = locations_.of(other);
  const std::string name = name_of(other);
  Key key;
  std::get<0>(key) = definition ? key_of(*definition) : "";
  std::get<1>(key) = definition ? without_template_arguments(name) : name;
  for (const Location& line : part.lines) std::get<2>(key).push_back(key_of(line));
  const auto [slot, is_new] = entries_.try_emplace(std::move(key));
  Entry& entry = slot->second;
  CallSite& site = entry.site;
  if (is_new) {
    site.name = name;
    site.definition = std::move(definition);
    if (!part.lines.empty()) {
      site.place = part.lines.front();
      site.alternatives.assign(part.lines.begin() + 1, part.lines.end());
    }
    site.recursive = is_own(other);
    entry.other = other;
  } else if (site.name != name) {
    site.name = without_template_arguments(name);
  }
  const auto through = snapshot_.run_info().passed_through(arc.caller, arc.callee, part.from_pcs);
  // Instances of a function may have come by different ways.
  if (is_new || site.through == through) {
    site.through = through;
  } else {
    site.through.clear();
  }
  site.calls += part.count;
  site.approximate = part.lines.size() > 1;
  entry.timed = entry.timed || is_timed(arc);
  entry.ticks += part.ticks;
  entry.variance += part.variance;
  entry.error += part.error;
}

// The candidate lines of ambiguous calls are all shown or none: some of them alone would imply that
// it was one of these.
std::vector<Location> CallSiteList::lines_of(const LocatedCalls& calls, SymbolIndex callee) {
  std::vector<Location> lines;
  for (const SourceLocation& location : calls.locations) {
    auto line = locations_.call(location, callee);
    if (!line) return {};
    if (std::find(lines.begin(), lines.end(), *line) == lines.end()) {
      lines.push_back(std::move(*line));
    }
  }
  return lines;
}

std::vector<ArcPart> CallSiteList::parts_of(const GraphArc& arc) {
  std::vector<LocatedCalls> calls = snapshot_.source_index().located_calls(arc.caller, arc.callee);
  std::uint64_t located = 0;
  for (const LocatedCalls& part : calls) located += part.count;
  if (located < arc.count || calls.empty()) {
    calls.push_back({{}, {}, arc.count - std::min(arc.count, located), {}});
  }
  std::vector<ArcPart> parts;
  for (const LocatedCalls& part : calls) {
    parts.push_back({lines_of(part, arc.callee), part.from_pcs, part.count, 0, 0, 0});
  }
  if (is_timed(arc)) share_out(arc, calls, parts);
  return parts;
}

void CallSiteList::share_out(const GraphArc& arc, const std::vector<LocatedCalls>& calls,
                             std::vector<ArcPart>& parts) const {
  const Ticks whole = arc.self_share + arc.children_share;
  Ticks measured = 0;
  for (const LocatedCalls& part : calls) measured += part.measured.value_or(0);
  const FunctionCosts& profile = snapshot_.profile();
  const Ticks error = snapshot_.times().of(arc).error;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (measured > 0) {
      // Samples under no counted call belong to the rest.
      const Ticks rest = calls[i].locations.empty() ? std::max(0.0, whole - measured) : 0;
      parts[i].ticks = calls[i].measured.value_or(rest);
      parts[i].variance = std::pow(profile.error_in_all_code(parts[i].ticks), 2);
      continue;
    }
    const double share =
        arc.count > 0 ? static_cast<double>(parts[i].count) / static_cast<double>(arc.count) : 1;
    parts[i].ticks = whole * share;
    parts[i].error = error * share;
  }
}

std::string CallSiteList::name_of(SymbolIndex symbol) const {
  if (symbol == no_symbol) return "<spontaneous>";
  const Symbol& code = snapshot_.symbols()[symbol];
  if (!demangle_) return std::string(code.name);
  return shown_name(snapshot_.sources(), code.clone_of).name;
}

// Overloads have their parameters. A function that calls from several lines has several entries.
void CallSiteList::make_names_distinct() {
  std::map<std::string, std::set<std::string>> definitions;
  for (const auto& [key, entry] : entries_) {
    definitions[entry.site.name].insert(std::get<0>(key));
  }
  for (auto& [key, entry] : entries_) {
    const bool is_shared = definitions[entry.site.name].size() > 1;
    if (!is_shared || !demangle_ || entry.other == no_symbol) continue;
    entry.site.name = shown_name(snapshot_.sources(), entry.other).signature;
  }
}

std::vector<CallSite> CallSiteList::take_sites() {
  const FunctionCosts& profile = snapshot_.profile();
  std::vector<Entry> entries;
  entries.reserve(entries_.size());
  make_names_distinct();
  for (auto& [key, entry] : entries_) entries.push_back(std::move(entry));
  std::stable_sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
    if (a.site.recursive != b.site.recursive) return b.site.recursive;
    if (a.ticks != b.ticks) return a.ticks > b.ticks;
    if (a.site.calls != b.site.calls) return a.site.calls > b.site.calls;
    return order_of_place(a.site.place) < order_of_place(b.site.place);
  });
  truncated_ = truncated_ || entries.size() > most_entries;
  entries.resize(std::min(entries.size(), most_entries));
  std::vector<CallSite> sites;
  sites.reserve(entries.size());
  for (Entry& entry : entries) {
    if (entry.timed) {
      entry.site.seconds = profile.seconds(entry.ticks);
      entry.site.error = profile.seconds(std::sqrt(entry.variance) + entry.error);
    }
    sites.push_back(std::move(entry.site));
  }
  return sites;
}

}  // namespace

CallSitesResult call_site_list(const FunctionCost& function, bool callers,
                               FunctionLocations& locations, bool demangle) {
  return CallSiteList(function, callers, locations, demangle).make();
}

}  // namespace gprof::lsp
