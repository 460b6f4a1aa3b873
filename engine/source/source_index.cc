#include "engine/source/source_index.h"

#include <algorithm>
#include <numeric>

#include "engine/source/file_costs_builder.h"

namespace gprof {
namespace {

// Decoded units that are kept: enough for the files that an editor has open.
constexpr std::size_t unit_cache_bytes = std::size_t{12} << 20;

std::string_view base_name(std::string_view path) {
  return path.substr(path.find_last_of('/') + 1);
}

}  // namespace

struct SourceIndex::CachedCosts {
  std::once_flag built;
  std::shared_ptr<const FileCosts> costs;
};

SourceIndex::SourceIndex(const SourceIndexParts& parts) : parts_(parts) {
  if (parts_.debug_information != nullptr) {
    units_.emplace(*parts_.debug_information, unit_cache_bytes);
  }
  rank_functions();
  index_sites();
}

void SourceIndex::rank_functions() {
  const auto symbols = parts_.symbols.symbols();
  std::vector<Ticks> self(symbols.size(), 0);
  std::vector<std::uint64_t> calls(symbols.size(), 0);
  for (SymbolIndex i = 0; i < symbols.size(); ++i) {
    self[symbols[i].clone_of] += parts_.profile.self(i);
    calls[symbols[i].clone_of] += parts_.graph.node(i).calls;
  }
  for (SymbolIndex i = 0; i < symbols.size(); ++i) {
    if (self[i] > 0 || calls[i] > 0) by_heat_.push_back(i);
  }
  std::sort(by_heat_.begin(), by_heat_.end(), [&](SymbolIndex a, SymbolIndex b) {
    if (self[a] != self[b]) return self[a] > self[b];
    if (calls[a] != calls[b]) return calls[a] > calls[b];
    return a < b;
  });
  rank_.assign(symbols.size(), 0);
  for (std::uint32_t i = 0; i < by_heat_.size() && self[by_heat_[i]] > 0; ++i) {
    rank_[by_heat_[i]] = i + 1;
  }
}

void SourceIndex::index_sites() {
  const auto sites = parts_.profile.site_arcs();
  sites_by_address_.resize(sites.size());
  // glibc writes arcs by ascending address, and the profile keeps the newest first.
  std::iota(sites_by_address_.rbegin(), sites_by_address_.rend(), 0U);
  auto before = [&](std::uint32_t a, std::uint32_t b) {
    return sites[a].from_pc < sites[b].from_pc;
  };
  if (!std::is_sorted(sites_by_address_.begin(), sites_by_address_.end(), before)) {
    std::stable_sort(sites_by_address_.begin(), sites_by_address_.end(), before);
  }
}

std::span<const std::uint32_t> SourceIndex::sites_of_arc(SymbolIndex caller,
                                                         SymbolIndex callee) const {
  const auto sites = parts_.profile.site_arcs();
  auto key = [&](std::uint32_t index) {
    return std::pair(sites[index].caller, sites[index].callee);
  };
  std::call_once(sites_by_arc_built_, [&] {
    sites_by_arc_ = sites_by_address_;
    std::stable_sort(sites_by_arc_.begin(), sites_by_arc_.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return key(a) < key(b); });
  });
  const std::pair wanted(caller, callee);
  const auto first = std::partition_point(sites_by_arc_.begin(), sites_by_arc_.end(),
                                          [&](std::uint32_t i) { return key(i) < wanted; });
  const auto last = std::partition_point(first, sites_by_arc_.end(),
                                         [&](std::uint32_t i) { return key(i) == wanted; });
  return {first, last};
}

std::optional<FileId> SourceIndex::find_file(std::string_view canonical_path) const {
  if (parts_.debug_information == nullptr) return std::nullopt;
  const std::vector<FileId> named = files_named(base_name(canonical_path));
  for (const FileId file : named) {
    if (path(file) == canonical_path) return file;
  }
  return std::nullopt;
}

std::vector<FileId> SourceIndex::files_named(std::string_view name) const {
  if (parts_.debug_information == nullptr) return {};
  const std::lock_guard lock(mutex_);
  if (files_by_name_.empty()) {
    const auto units = static_cast<UnitIndex>(parts_.debug_information->units().size());
    for (UnitIndex unit = 0; unit < units; ++unit) (void)parts_.debug_information->files(unit);
    for (const FileId file : parts_.debug_information->all_files()) {
      files_by_name_[std::string(base_name(path(file)))].push_back(file);
    }
  }
  const auto found = files_by_name_.find(std::string(name));
  return found == files_by_name_.end() ? std::vector<FileId>() : found->second;
}

std::string SourceIndex::path(FileId file) const {
  return parts_.debug_information == nullptr ? std::string() : parts_.debug_information->path(file);
}

std::shared_ptr<const FileCosts> SourceIndex::costs(FileId file) const {
  std::shared_ptr<CachedCosts> cached;
  {
    const std::lock_guard lock(mutex_);
    auto& slot = costs_[file];
    if (!slot) slot = std::make_shared<CachedCosts>();
    cached = slot;
  }
  std::call_once(cached->built, [&] {
    cached->costs =
        std::make_shared<const FileCosts>(FileCostsBuilder(*this, parts_, file).build());
  });
  return cached->costs;
}

std::optional<Declaration> SourceIndex::declaration(SymbolIndex symbol) const {
  if (parts_.debug_information == nullptr) return std::nullopt;
  const Address entry = parts_.symbols[parts_.symbols[symbol].clone_of].address;
  const auto unit_index = parts_.debug_information->unit_at(entry);
  if (!unit_index) return std::nullopt;
  const auto unit = units_->unit(*unit_index);
  const Subprogram* subprogram = unit->subprogram_at(entry);
  if (subprogram != nullptr && subprogram->declaration.line != 0 &&
      subprogram->declaration.file != no_file) {
    return subprogram->declaration;
  }
  const LineExtent* extent = unit->extent_at(entry);
  if (extent == nullptr) return std::nullopt;
  return Declaration{extent->file, extent->line, 0};
}

DemangledName SourceIndex::name(SymbolIndex index) const {
  const Symbol& symbol = parts_.symbols[index];
  Language language = Language::unknown;
  if (parts_.debug_information != nullptr) {
    const auto unit = parts_.debug_information->unit_at(symbol.address);
    if (unit) language = parts_.debug_information->units()[*unit].language;
  }
  return demangle(symbol.name, language);
}

std::optional<SourcePlace> SourceIndex::place_in_function(Address call) const {
  if (parts_.debug_information == nullptr) return std::nullopt;
  const auto unit_index = parts_.debug_information->unit_at(call);
  if (!unit_index) return std::nullopt;
  const auto unit = units_->unit(*unit_index);
  const LineExtent* extent = unit->extent_at(call);
  if (extent == nullptr) return std::nullopt;
  SourcePlace place = {extent->file, extent->line};
  const Subprogram* holder = unit->subprogram_at(call);
  if (holder == nullptr || holder->declaration.file == no_file) return place;
  const auto& inlined_calls = unit->functions().inlined_calls;
  auto inlined = unit->inlined_call_at(call);
  while (inlined) {
    const InlinedCall& chain = inlined_calls[*inlined];
    if (chain.call_site.line == 0) break;
    place = {chain.call_site.file, chain.call_site.line};
    inlined = chain.parent;
  }
  return place;
}

std::vector<CallPlace> SourceIndex::call_places(SymbolIndex caller, SymbolIndex callee) const {
  std::map<SourcePlace, CallPlace> places;
  if (caller == no_symbol) return {};
  for (const std::uint32_t index : sites_of_arc(caller, callee)) {
    const SiteArc& site = parts_.profile.site_arcs()[index];
    std::vector<SourcePlace> candidates;
    for (const Address call : parts_.call_sites.calls_of(site.from_pc, callee)) {
      if (const auto place = place_in_function(call)) candidates.push_back(*place);
    }
    std::sort(candidates.begin(), candidates.end());
    candidates.erase(std::unique(candidates.begin(), candidates.end()), candidates.end());
    for (const SourcePlace& place : candidates) {
      CallPlace& entry = places[place];
      entry.place = place;
      entry.count += site.count;
      entry.approximate = entry.approximate || candidates.size() > 1;
    }
  }
  std::vector<CallPlace> result;
  result.reserve(places.size());
  for (auto& [place, entry] : places) result.push_back(entry);
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
  const CallGraph& graph = parts_.graph;
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
      const CycleNumber cycle = graph.node(symbol).cycle;
      entry.same_cycle = entry.same_cycle ||
                         (other != no_symbol && cycle != 0 && graph.node(other).cycle == cycle);
    }
  }
  std::vector<RelatedFunction> result;
  result.reserve(by_symbol.size());
  for (auto& [symbol, entry] : by_symbol) result.push_back(entry);
  std::stable_sort(result.begin(), result.end(), [](const auto& a, const auto& b) {
    const Ticks time_a = a.self_share + a.children_share;
    const Ticks time_b = b.self_share + b.children_share;
    return time_a != time_b ? time_a > time_b : a.count > b.count;
  });
  return result;
}

std::uint32_t SourceIndex::rank(SymbolIndex symbol) const {
  return rank_[parts_.symbols[symbol].clone_of];
}

}  // namespace gprof
