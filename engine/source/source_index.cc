#include "engine/source/source_index.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <numeric>
#include <set>

#include "engine/source/file_costs_builder.h"
#include "engine/support/radix_sort.h"
#include "engine/support/saturating.h"

namespace gprof {

namespace {

// Of each function of libraries, and of each library's other code, most first: lists have them
// among the program's own functions, and a rank is a place in such a list.
std::vector<Ticks> library_ticks(const FunctionCosts& profile) {
  std::vector<Ticks> ticks;
  for (const ModuleSamples& module : profile.elsewhere()) {
    if (!module.collector && !module.name.empty()) ticks.push_back(module.ticks);
  }
  std::ranges::sort(ticks, std::ranges::greater());
  return ticks;
}

}  // namespace

struct SourceIndex::CachedCosts {
  std::once_flag built;
  std::shared_ptr<const FileCosts> costs;
};

SourceIndex::SourceIndex(const SourceIndexParts& parts) : parts_(parts) { index_sites(); }

void SourceIndex::make_ranks() const {
  if (is_ranked()) return;
  std::call_once(ranks_made_, [this] {
    rank_functions();
    ranked_.store(true, std::memory_order_release);
  });
}

void SourceIndex::rank_functions() const {
  const auto symbols = parts_.symbols.symbols();
  struct Heat {
    SymbolIndex symbol = 0;
    Ticks self = 0;
    std::uint64_t calls = 0;
  };
  std::vector<Heat> heats(symbols.size());
  for (SymbolIndex i = 0; i < symbols.size(); ++i) {
    heats[i].symbol = i;
    Heat& heat = heats[symbols[i].clone_of];
    heat.self += parts_.profile.self(i);
  }
  // Calls of a function by itself do not count.
  for (const SiteArc& site : parts_.profile.site_arcs()) {
    if (site.caller == site.callee) continue;
    std::uint64_t& calls = heats[symbols[site.callee].clone_of].calls;
    calls = saturating_add(calls, site.count);
  }
  std::erase_if(heats, [](const Heat& heat) { return !(heat.self > 0) && heat.calls == 0; });
  // The last key first; each sort preserves the earlier order of equal keys.
  radix_sort(heats, [](const Heat& heat) { return ~heat.calls; });
  radix_sort(heats, [](const Heat& heat) { return ~sortable(heat.self); });
  by_heat_.reserve(heats.size());
  rank_.assign(symbols.size(), 0);
  const std::vector<Ticks> of_libraries = library_ticks(parts_.profile);
  std::size_t before = 0;
  for (const Heat& heat : heats) {
    by_heat_.push_back(heat.symbol);
    while (before < of_libraries.size() && of_libraries[before] > heat.self) ++before;
    if (heat.self > 0) {
      rank_[heat.symbol] = static_cast<std::uint32_t>(by_heat_.size() + before);
    }
  }
}

void SourceIndex::index_sites() {
  const auto sites = parts_.profile.site_arcs();
  const auto is_later = [](const SiteArc& a, const SiteArc& b) { return a.from_pc > b.from_pc; };
  if (std::is_sorted(sites.begin(), sites.end(), is_later)) {
    sites_by_address_.resize(sites.size());
    std::iota(std::make_reverse_iterator(sites_by_address_.end()),
              std::make_reverse_iterator(sites_by_address_.begin()), std::uint32_t{0});
    return;
  }
  struct SiteAddress {
    Address from_pc;
    std::uint32_t index;
  };
  std::vector<SiteAddress> addresses(sites.size());
  // The profile has the newest first, and collectors write them by ascending address.
  for (std::size_t i = 0; i < sites.size(); ++i) {
    addresses[sites.size() - 1 - i] = {sites[i].from_pc, static_cast<std::uint32_t>(i)};
  }
  radix_sort(addresses, [](const SiteAddress& site) { return site.from_pc.value; });
  sites_by_address_.reserve(addresses.size());
  for (const SiteAddress& site : addresses) sites_by_address_.push_back(site.index);
}

// By the arc's ends, then by address.
void SourceIndex::sort_sites_by_arc() const {
  std::call_once(sites_by_arc_built_, [&] {
    const auto sites = parts_.profile.site_arcs();
    const auto key = [&](std::uint32_t i) { return std::pair(sites[i].caller, sites[i].callee); };
    sites_by_arc_ = sites_by_address_;
    std::stable_sort(sites_by_arc_.begin(), sites_by_arc_.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return key(a) < key(b); });
  });
}

std::span<const std::uint32_t> SourceIndex::sites_of_arc(SymbolIndex caller,
                                                         SymbolIndex callee) const {
  sort_sites_by_arc();
  const auto sites = parts_.profile.site_arcs();
  const auto key = [&](std::uint32_t i) { return std::pair(sites[i].caller, sites[i].callee); };
  const std::pair wanted(caller, callee);
  const auto first = std::partition_point(sites_by_arc_.begin(), sites_by_arc_.end(),
                                          [&](std::uint32_t i) { return key(i) < wanted; });
  const auto last = std::partition_point(first, sites_by_arc_.end(),
                                         [&](std::uint32_t i) { return key(i) == wanted; });
  return {first, last};
}

std::shared_ptr<const FileCosts> SourceIndex::costs(FileId file) const {
  parts_.graph.make();
  make_ranks();
  return cached_costs(costs_, file, true);
}

std::shared_ptr<const FileCosts> SourceIndex::costs_at_hand(FileId file) const {
  if (parts_.graph.is_made() && is_ranked()) {
    const std::lock_guard lock(mutex_);
    costs_without_totals_.clear();
  } else {
    return cached_costs(costs_without_totals_, file, false);
  }
  return cached_costs(costs_, file, true);
}

std::shared_ptr<const FileCosts> SourceIndex::cached_costs(CostsByFile& cache, FileId file,
                                                           bool with_totals) const {
  std::shared_ptr<CachedCosts> cached;
  {
    const std::lock_guard lock(mutex_);
    auto& slot = cache[file];
    if (!slot) slot = std::make_shared<CachedCosts>();
    cached = slot;
  }
  std::call_once(cached->built, [&] {
    cached->costs = std::make_shared<const FileCosts>(
        FileCostsBuilder(*this, parts_, file, with_totals).build());
  });
  return cached->costs;
}

std::vector<CallLocation> SourceIndex::call_locations(SymbolIndex caller,
                                                      SymbolIndex callee) const {
  std::map<SourceLocation, CallLocation> locations;
  for (const LocatedCalls& calls : located_calls(caller, callee)) {
    for (const SourceLocation& location : calls.locations) {
      CallLocation& entry = locations[location];
      entry.location = location;
      entry.count += calls.count;
      entry.measured += calls.measured.value_or(0);
      entry.approximate = entry.approximate || calls.locations.size() > 1;
    }
  }
  std::vector<CallLocation> result;
  result.reserve(locations.size());
  for (auto& [location, entry] : locations) result.push_back(entry);
  return result;
}

std::vector<LocatedCalls> SourceIndex::located_calls(SymbolIndex caller, SymbolIndex callee) const {
  struct Site {
    std::uint64_t count = 0;
    std::vector<AddressRange> code;  // the call instructions
    std::vector<Address> from_pcs;
  };
  std::map<std::vector<SourceLocation>, Site> sites;
  if (caller == no_symbol) return {};
  for (const std::uint32_t index : sites_of_arc(caller, callee)) {
    const SiteArc& arc = parts_.profile.site_arcs()[index];
    std::set<SourceLocation> candidates;
    std::vector<AddressRange> code;
    for (const Address call : parts_.call_sites.calls_of(arc.from_pc, callee)) {
      if (const auto location = parts_.sources.location_in_function(call)) {
        candidates.insert(*location);
      }
      code.push_back({call, std::max(call + 1, arc.from_pc)});
    }
    Site& site = sites[{candidates.begin(), candidates.end()}];
    site.count += arc.count;
    site.from_pcs.push_back(arc.from_pc);
    site.code.insert(site.code.end(), code.begin(), code.end());
  }
  if (sites.empty()) return calls_on_stacks(caller, callee);
  // For merged sites only the start is known, not where the calls end.
  const MeasuredTimes& times = parts_.graph.measured();
  const bool measured = times.known() && parts_.call_sites.precision().slot_size == 1;
  std::vector<LocatedCalls> result;
  result.reserve(sites.size());
  for (const auto& [locations, site] : sites) {
    result.push_back({locations, site.from_pcs, site.count, {}});
    if (measured) result.back().measured = times.calls_at(site.code, callee);
  }
  return result;
}

// Of calls that were not counted.
std::vector<LocatedCalls> SourceIndex::calls_on_stacks(SymbolIndex caller,
                                                       SymbolIndex callee) const {
  const MeasuredTimes& times = parts_.graph.measured();
  std::map<std::vector<SourceLocation>, std::vector<AddressRange>> code;
  for (const Address call : times.places_of(caller, callee)) {
    std::vector<SourceLocation> location;
    if (const auto found = parts_.sources.location_in_function(call)) location.push_back(*found);
    code[location].push_back({call, call + 1});
  }
  std::vector<LocatedCalls> result;
  result.reserve(code.size());
  for (const auto& [location, places] : code) {
    result.push_back({location, {}, 0, times.calls_at(places, callee)});
  }
  return result;
}

std::vector<RelatedFunction> SourceIndex::callers(const FunctionCost& function) const {
  return related(function, true);
}

std::vector<RelatedFunction> SourceIndex::callees(const FunctionCost& function) const {
  return related(function, false);
}

std::vector<RelatedFunction> SourceIndex::related(const FunctionCost& function,
                                                  bool want_callers) const {
  const CallGraph& graph = parts_.graph.graph();
  std::map<SymbolIndex, RelatedFunction> by_symbol;
  for (const SymbolIndex symbol : function.symbols) {
    for (const ArcIndex index : want_callers ? graph.callers(symbol) : graph.callees(symbol)) {
      const GraphArc& arc = graph.arc(index);
      const SymbolIndex other = want_callers ? arc.caller : arc.callee;
      if (std::binary_search(function.symbols.begin(), function.symbols.end(), other)) continue;
      RelatedFunction& entry = by_symbol[other];
      entry.symbol = other;
      entry.count += arc.count;
      entry.self_share += arc.self_share;
      entry.children_share += arc.children_share;
      entry.error += parts_.graph.times().of(arc).error;
      const CycleNumber cycle = graph.is_measured() ? 0 : graph.node(symbol).cycle;
      entry.same_cycle = entry.same_cycle ||
                         (other != no_symbol && cycle != 0 && graph.node(other).cycle == cycle);
    }
  }
  if (graph.is_measured()) take_measured_times(function, want_callers, by_symbol);
  std::vector<RelatedFunction> result;
  result.reserve(by_symbol.size());
  for (auto& [symbol, entry] : by_symbol) result.push_back(entry);
  std::stable_sort(result.begin(), result.end(), [](const auto& a, const auto& b) {
    return a.share() != b.share() ? a.share() > b.share() : a.count > b.count;
  });
  return result;
}

// Several symbols of one function may be on one stack: its arcs are not the sum of theirs.
void SourceIndex::take_measured_times(const FunctionCost& function, bool want_callers,
                                      std::map<SymbolIndex, RelatedFunction>& related) const {
  if (function.symbols.size() > 1) {
    for (auto& [symbol, entry] : related) entry.self_share = entry.children_share = 0;
    const MeasuredTimes& measured = parts_.graph.measured();
    const auto arcs =
        want_callers ? measured.callers(function.symbols) : measured.callees(function.symbols);
    for (const MeasuredArc& arc : arcs) {
      const auto entry = related.find(want_callers ? arc.caller : arc.callee);
      if (entry == related.end()) continue;
      entry->second.self_share = arc.self;
      entry->second.children_share = arc.ticks - arc.self;
    }
  }
  for (auto& [symbol, entry] : related)
    entry.error = parts_.profile.error_in_all_code(entry.share());
}

std::uint32_t SourceIndex::rank(SymbolIndex symbol) const {
  make_ranks();
  return rank_[parts_.symbols[symbol].clone_of];
}

}  // namespace gprof
