#include "engine/analysis/function_costs.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/code/machine_code.h"
#include "engine/support/grouped_table.h"
#include "engine/support/parallel.h"
#include "engine/support/saturating.h"
#include "engine/support/stored_checks.h"

namespace gprof {
namespace {

std::vector<BlockCount> sorted_blocks(std::vector<BlockCount> blocks) {
  std::sort(blocks.begin(), blocks.end(),
            [](const BlockCount& a, const BlockCount& b) { return a.address < b.address; });
  std::vector<BlockCount> merged;
  for (const BlockCount& block : blocks) {
    if (!merged.empty() && merged.back().address == block.address) {
      merged.back().count = saturating_add(merged.back().count, block.count);
    } else {
      merged.push_back(block);
    }
  }
  return merged;
}

// For an arc that leads to no function.
constexpr std::uint32_t no_place = std::numeric_limits<std::uint32_t>::max();

// The function that contains self_pc. For a symbol that is not a function (a label in assembly),
// the function before it, as in gprof.
SymbolIndex function_at(const SymbolTable& symbols, std::optional<SymbolIndex> found) {
  if (!found) return no_symbol;
  SymbolIndex index = *found;
  while (index > 0 && !symbols[index].is_function) --index;
  return symbols[index].is_function ? index : *found;
}

// The two ends of an arc.
struct ArcEnds {
  SymbolIndex caller = no_symbol;
  SymbolIndex callee = no_symbol;
};

// One per arc; if it leads to no function, the caller is irrelevant.
std::vector<ArcEnds> ends_of(const std::vector<RawArc>& arcs, const SymbolTable& symbols,
                             const CallSites& call_sites) {
  constexpr std::size_t part_size = 32768;
  std::vector<ArcEnds> ends(arcs.size());
  const std::size_t parts = (arcs.size() + part_size - 1) / part_size;
  for_each_index(parts, processor_count(), [&](std::size_t part) {
    const std::size_t begin = part * part_size;
    const std::size_t size = std::min(part_size, arcs.size() - begin);
    std::size_t i = begin;
    symbols.find_each(
        size, [&](std::size_t k) { return arcs[begin + k].self_pc; },
        [&](std::optional<SymbolIndex> found) { ends[i++].callee = function_at(symbols, found); });
    for (i = begin; i < begin + size; ++i) {
      if (ends[i].callee == no_symbol) continue;
      ends[i].caller = call_sites.caller_of(arcs[i].from_pc, ends[i].callee).value_or(no_symbol);
    }
  });
  return ends;
}

}  // namespace

FunctionCosts FunctionCosts::attribute(const RawProfile& raw, const SymbolTable& symbols,
                                       const CallSites& call_sites, const FunctionCosts* like,
                                       const CollectedSamples& collected) {
  FunctionCosts profile;
  profile.has_histogram_ = !raw.histograms.empty();
  profile.has_arcs_ = !raw.arcs.empty();
  profile.rate_ = raw.rate;
  profile.errors_ = collected.errors();
  if (raw.exact_costs) profile.errors_ = SampleErrors::none();
  if (raw.ticks_per_sample > 0) {
    profile.errors_ = SampleErrors::of_part(raw.ticks_per_sample, raw.sampled_ticks);
  }
  if (raw.by_clock) profile.errors_ = profile.errors_.of_clock();
  profile.kernel_ = collected.kernel();
  profile.elsewhere_.assign(collected.elsewhere().begin(), collected.elsewhere().end());
  if (raw.external_ticks > 0) {
    profile.elsewhere_.push_back({"other modules", "", raw.external_ticks, false});
  }
  for (const ModuleSamples& module : profile.elsewhere_) profile.elsewhere_ticks_ += module.ticks;
  profile.dimension_ = raw.dimension;
  profile.abbreviation_ = raw.dimension_abbreviation;
  profile.blocks_ = sorted_blocks(raw.blocks);
  profile.precision_ = call_sites.precision();
  // Samples and arcs are independent of each other.
  run_beside(
      [&] {
        if (like != nullptr) {
          profile.count_arcs_like(raw, *like);
        } else {
          profile.attribute_arcs(raw, symbols, call_sites);
        }
      },
      [&] {
        profile.samples_ = Samples(raw.histograms);
        profile.attribute_samples(symbols);
      },
      raw.arcs.size() >= elements_worth_a_thread);
  return profile;
}

Ticks FunctionCosts::collector_ticks() const {
  Ticks ticks = profiler_ticks_;
  for (const ModuleSamples& module : elsewhere_) {
    if (module.collector) ticks += module.ticks;
  }
  return ticks;
}

void FunctionCosts::attribute_samples(const SymbolTable& symbols) {
  const auto all = symbols.symbols();
  self_.assign(all.size(), 0);
  Ticks attributed = 0;
  for (const SampledBin& bin : samples_.bins()) {
    // The first symbol that ends after the start of the bin.
    auto symbol = std::partition_point(all.begin(), all.end(), [&](const Symbol& s) {
      return s.end.value / bytes_per_unit <= bin.low_unit;
    });
    Ticks shared_out = 0;
    for (; symbol != all.end() && symbol->address.value / bytes_per_unit < bin.high_unit;
         ++symbol) {
      const Ticks share =
          bin.share(symbol->address.value / bytes_per_unit, symbol->end.value / bytes_per_unit);
      self_[static_cast<std::size_t>(symbol - all.begin())] += share;
      shared_out += share;
    }
    attributed += shared_out;
    const Ticks covered = bin.share(bin.low_unit, bin.high_unit);
    unattributed_ticks_ += std::max(0.0, covered - shared_out);
    // A bin narrower than a unit covers nothing: its samples belong to nobody.
    if (bin.high_unit <= bin.low_unit) unattributed_ticks_ += bin.count;
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (self_[i] == 0 || !is_counting_function(all[i].name)) continue;
    profiler_ticks_ += self_[i];
    attributed -= self_[i];
    self_[i] = 0;
  }
  rounding_ticks_ = total_ticks() - attributed - profiler_ticks_ - unattributed_ticks_;
}

void FunctionCosts::attribute_arcs(const RawProfile& raw, const SymbolTable& symbols,
                                   const CallSites& call_sites) {
  const std::vector<ArcEnds> ends = ends_of(raw.arcs, symbols, call_sites);
  site_arcs_.reserve(raw.arcs.size());
  arcs_.reserve(raw.arcs.size());
  // Collectors write the arcs of one from_pc one after the other, ascending.
  GroupedTable known_sites(raw.arcs.size(),
                           [&](std::size_t i) { return raw.arcs[i].from_pc.value; });
  for (std::size_t i = 0; i < raw.arcs.size(); ++i) {
    const RawArc& arc = raw.arcs[i];
    const SymbolIndex callee = ends[i].callee;
    if (callee == no_symbol) {
      arcs_.push_back({arc.self_pc, no_place});
      unattributed_calls_ = saturating_add(unattributed_calls_, arc.count);
      continue;
    }
    counted_calls_ = saturating_add(counted_calls_, arc.count);
    const auto next = static_cast<std::uint32_t>(site_arcs_.size());
    const std::uint32_t place = known_sites.find_or_add(
        i, next, [&] { return hash_of(arc.from_pc.value, callee); },
        [&](std::uint32_t site) { return site_arcs_[site].from_pc == arc.from_pc; },
        [&](std::uint32_t site) {
          return site_arcs_[site].from_pc == arc.from_pc && site_arcs_[site].callee == callee;
        });
    arcs_.push_back({arc.self_pc, place});
    if (place == next) {
      site_arcs_.push_back({arc.from_pc, ends[i].caller, callee, arc.count});
    } else {
      SiteArc& known = site_arcs_[place];
      known.count = saturating_add(known.count, arc.count);
    }
  }
  std::reverse(site_arcs_.begin(), site_arcs_.end());
}

bool FunctionCosts::has_calls_of(const RawProfile& raw, CallSitePrecision precision) const {
  const bool from_index = has_arcs_ && arcs_.empty();
  if (from_index || raw.arcs.size() != arcs_.size() || !(precision == precision_)) return false;
  for (std::size_t i = 0; i < arcs_.size(); ++i) {
    const AttributedArc& known = arcs_[i];
    if (known.self_pc != raw.arcs[i].self_pc) return false;
    if (known.place == no_place) continue;
    if (site_arcs_[site_arcs_.size() - 1 - known.place].from_pc != raw.arcs[i].from_pc)
      return false;
  }
  return true;
}

void FunctionCosts::count_arcs_like(const RawProfile& raw, const FunctionCosts& like) {
  site_arcs_ = std::vector<SiteArc>(like.site_arcs_.begin(), like.site_arcs_.end());
  arcs_ = like.arcs_;
  for (SiteArc& site : site_arcs_) site.count = 0;
  for (std::size_t i = 0; i < arcs_.size(); ++i) {
    const bool lost = arcs_[i].place == no_place;
    std::uint64_t& all = lost ? unattributed_calls_ : counted_calls_;
    all = saturating_add(all, raw.arcs[i].count);
    if (lost) continue;
    SiteArc& site = site_at(arcs_[i].place);
    site.count = saturating_add(site.count, raw.arcs[i].count);
  }
}

bool FunctionCosts::is_sound(std::size_t symbols) const {
  const auto is_symbol = [&](SymbolIndex symbol) { return symbol < symbols; };
  const bool plain = std::isfinite(profiler_ticks_) && std::isfinite(unattributed_ticks_) &&
                     std::isfinite(rounding_ticks_) && std::isfinite(elsewhere_ticks_) &&
                     std::isfinite(rate_) && gprof::is_sound(precision_);
  return plain && samples_.is_sound() && self_.size() == symbols && are_finite(self_) &&
         holds_for_all(site_arcs_.size(),
                       [&](std::size_t i) {
                         const SiteArc& arc = site_arcs_[i];
                         return is_symbol(arc.callee) &&
                                (arc.caller == no_symbol || is_symbol(arc.caller));
                       }) &&
         holds_for_all(blocks_.size(), [&](std::size_t i) {
           return i == 0 || blocks_[i - 1].address <= blocks_[i].address;
         });
}

}  // namespace gprof
