#include "engine/report/tally.h"

#include <algorithm>
#include <optional>

#include "engine/analysis/samples.h"
#include "engine/support/grouped_table.h"
#include "engine/support/parallel.h"
#include "engine/support/saturating.h"

namespace gprof {
namespace {

// The units of a symbol that receive samples: at most up to the next symbol.
struct UnitRange {
  std::uint64_t low = 0;
  std::uint64_t high = 0;
};

UnitRange units_of(const SourceSymbolTable& symbols, SymbolIndex index) {
  Address end = symbols[index].end;
  if (index + 1 < symbols.size()) end = std::min(end, symbols[index + 1].address);
  return {symbols[index].address.value / bytes_per_unit, end.value / bytes_per_unit};
}

// The function that an arc leads to. For a symbol that is not a function (a label in assembly, a
// line), the function before it.
std::optional<SymbolIndex> function_at_or_before(const SourceSymbolTable& symbols,
                                                 SymbolIndex index) {
  while (!symbols[index].is_function) {
    if (index == 0) return std::nullopt;
    --index;
  }
  return index;
}

// The two ends of an arc; no callee if either is unknown.
struct ArcEnds {
  SymbolIndex caller = no_symbol;
  SymbolIndex callee = no_symbol;
};

ArcEnds ends_of(const RawArc& record, const SourceSymbolTable& symbols) {
  const auto caller = symbols.find(record.from_pc);
  if (!caller) return {};
  auto callee = symbols.find(record.self_pc);
  if (callee) callee = function_at_or_before(symbols, *callee);
  return {*caller, callee.value_or(no_symbol)};
}

std::vector<ArcEnds> ends_of(const std::vector<RawArc>& arcs, const SourceSymbolTable& symbols) {
  constexpr std::size_t part_size = 8192;
  std::vector<ArcEnds> ends(arcs.size());
  const std::size_t parts = (arcs.size() + part_size - 1) / part_size;
  for_each_index(parts, processor_count(), [&](std::size_t part) {
    const std::size_t end = std::min((part + 1) * part_size, arcs.size());
    for (std::size_t i = part * part_size; i < end; ++i) ends[i] = ends_of(arcs[i], symbols);
  });
  return ends;
}

bool sampled(const RawProfile& raw, Address address) {
  return raw.histograms.empty() ||
         std::ranges::any_of(raw.histograms, [&](const Histogram& histogram) {
           return AddressRange{histogram.low, histogram.high}.contains(address);
         });
}

// Distributes them among the symbols.
void add_samples(const Samples& samples, const SourceSymbolTable& symbols,
                 const SymspecTables& selected, SampleTally& tally) {
  tally.self.assign(symbols.size(), 0);
  SymbolIndex first = 0;
  for (const SampledBin& bin : samples.bins()) {
    // Bin by bin, as gprof sums, so that rounding gives the same result.
    tally.total += bin.count;
    tally.unattributed += bin.count;
    while (first < symbols.size() && units_of(symbols, first).high <= bin.low_unit) ++first;
    for (SymbolIndex i = first; i < symbols.size(); ++i) {
      const UnitRange units = units_of(symbols, i);
      if (units.low >= bin.high_unit) break;
      const Ticks share = bin.share(units.low, units.high);
      if (share <= 0) continue;
      tally.unattributed -= share;
      if (selected.chosen(SymspecList::include_flat, SymspecList::exclude_flat,
                          symbols[i].address)) {
        tally.self[i] += share;
      } else {
        tally.total -= share;
      }
    }
  }
  // What remains from gprof's truncation of bins also belongs to nobody, but is not code.
  if (tally.unattributed < 0.5) tally.unattributed = 0;
}

}  // namespace

SampleTally tally_samples(const RawProfile& raw, const SourceSymbolTable& symbols,
                          const SymspecTables& selected) {
  SampleTally tally;
  tally.rate = raw.rate;
  tally.dimension = raw.dimension;
  tally.abbreviation = raw.dimension_abbreviation;
  if (!raw.histograms.empty()) {
    const Histogram& first = raw.histograms.front();
    const std::uint64_t units = (first.high - first.low) / bytes_per_unit;  // whole ones
    tally.scale = static_cast<double>(units) / static_cast<double>(first.bins.size());
  }
  add_samples(Samples(raw.histograms), symbols, selected, tally);
  return tally;
}

SampleTally tally_of_profile(const FunctionCosts& profile, const SourceSymbolTable& symbols,
                             const SymspecTables& selected) {
  SampleTally tally;
  tally.rate = profile.ticks_per_second();
  tally.dimension = profile.dimension();
  tally.abbreviation = profile.dimension_abbreviation();
  const auto bins = profile.samples().bins();
  tally.scale = bins.empty() ? 1 : bins.front().scale;
  add_samples(profile.samples(), symbols, selected, tally);
  return tally;
}

std::vector<SiteArc> tally_arcs(const RawProfile& raw, const SourceSymbolTable& symbols,
                                const SymspecTables& selected) {
  std::vector<SiteArc> arcs;
  arcs.reserve(raw.arcs.size());
  const std::vector<ArcEnds> all_ends = ends_of(raw.arcs, symbols);
  // Collectors write arcs by ascending from_pc; addresses before all symbols have no caller.
  GroupedTable known_arcs(raw.arcs.size(),
                          [&](std::size_t i) { return SymbolIndex{all_ends[i].caller + 1}; });
  for (std::size_t i = 0; i < raw.arcs.size(); ++i) {
    const RawArc& record = raw.arcs[i];
    const ArcEnds& ends = all_ends[i];
    if (ends.callee == no_symbol) continue;
    const auto next = static_cast<std::uint32_t>(arcs.size());
    const std::uint32_t place = known_arcs.find_or_add(
        i, next, [&] { return hash_of(ends.caller, ends.callee); },
        [&](std::uint32_t known) { return arcs[known].caller == ends.caller; },
        [&](std::uint32_t known) {
          return arcs[known].caller == ends.caller && arcs[known].callee == ends.callee;
        });
    if (place == next) {
      arcs.push_back({record.from_pc, ends.caller, ends.callee, record.count});
    } else {
      arcs[place].count = saturating_add(arcs[place].count, record.count);
    }
  }
  std::erase_if(arcs, [&](const SiteArc& arc) {
    const SourceSymbol& callee = symbols[arc.callee];
    return !selected.arc_chosen(symbols[arc.caller].address, {callee.address, callee.end});
  });
  std::reverse(arcs.begin(), arcs.end());
  return arcs;
}

std::vector<SiteArc> find_static_arcs(const MachineCode& code, const RawProfile& raw,
                                      const SourceSymbolTable& symbols) {
  std::vector<SiteArc> arcs;
  for (SymbolIndex i = 0; i < symbols.size(); ++i) {
    const Address end =
        i + 1 < symbols.size() ? std::min(symbols[i].end, symbols[i + 1].address) : symbols[i].end;
    for (const CallInstruction& call : code.calls_in({symbols[i].address, end})) {
      if (!call.target || !sampled(raw, call.address) || !sampled(raw, *call.target)) continue;
      const auto callee = symbols.find(*call.target);
      if (!callee || symbols[*callee].address != *call.target) continue;
      // Jumps to labels, and under -l to other lines, stay in their function.
      if (call.is_jump && !symbols[*callee].is_function) continue;
      arcs.push_back({call.return_address, i, *callee, 0});
    }
  }
  return arcs;
}

}  // namespace gprof
