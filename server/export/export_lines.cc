#include "server/export/export_lines.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace gprof::lsp {
namespace {

using LineSums = std::map<SourceLocation, ExportLine>;

ExportLine& line_of(LineSums& lines, const SourceLocation& place) {
  ExportLine& line = lines[place];
  line.file = place.file;
  line.line = place.line;
  return line;
}

// The extents of lines that overlap the code of a symbol.
template <typename Visit>
void for_each_extent(const Snapshot& snapshot, const Symbol& symbol, const Visit& visit) {
  const auto unit = snapshot.sources().unit_at(symbol.address);
  if (!unit) return;
  const auto extents = unit->extents();
  auto extent = std::partition_point(extents.begin(), extents.end(), [&](const LineExtent& e) {
    return e.range.high <= symbol.address;
  });
  for (; extent != extents.end() && extent->range.low < symbol.end; ++extent) {
    if (extent->line == 0 || extent->file == no_file) continue;
    visit(*unit, *extent, intersect(extent->range, {symbol.address, symbol.end}));
  }
}

void add_self(const Snapshot& snapshot, SymbolIndex symbol, LineSums& lines) {
  // Below the rounding error of sums of fractional ticks.
  constexpr Ticks least_rest = 1e-9;
  Ticks rest = snapshot.profile().self(symbol);
  if (!(rest > 0)) return;
  const Samples& samples = snapshot.profile().samples();
  for_each_extent(snapshot, snapshot.symbols()[symbol],
                  [&](const UnitLines&, const LineExtent& extent, AddressRange range) {
                    const Ticks ticks = samples.in(range);
                    if (!(ticks > 0)) return;
                    ExportLine& line = line_of(lines, {extent.file, extent.line});
                    line.self += ticks;
                    line.kernel += std::min(ticks, snapshot.profile().kernel().in(range));
                    rest -= ticks;
                  });
  if (rest > least_rest * snapshot.profile().self(symbol))
    line_of(lines, {no_file, 0}).self += rest;
}

// For each copy of a line (its own, and inlined at several places) the largest block counts.
void add_executions(const Snapshot& snapshot, SymbolIndex symbol, LineSums& lines) {
  const auto blocks = snapshot.profile().blocks();
  if (blocks.empty()) return;
  std::map<std::pair<SourceLocation, std::uint32_t>, std::uint64_t> largest;
  for_each_extent(
      snapshot, snapshot.symbols()[symbol],
      [&](const UnitLines& unit, const LineExtent& extent, AddressRange range) {
        auto block = std::partition_point(
            blocks.begin(), blocks.end(),
            [&](const BlockCount& candidate) { return candidate.address < range.low; });
        for (; block != blocks.end() && block->address < range.high; ++block) {
          const auto inlined = unit.inlined_call_at(block->address);
          auto& count = largest[{{extent.file, extent.line}, inlined ? *inlined + 1 : 0}];
          count = std::max(count, block->count);
        }
      });
  for (const auto& [key, count] : largest) {
    auto& executions = line_of(lines, key.first).executions;
    executions = executions.value_or(0) + count;
  }
}

// The calls of an arc by place, and the candidates for calls that the profile cannot tell apart.
class Sites {
 public:
  Sites(const ExportTables& tables, const ExportArc& arc)
      : snapshot_(tables.snapshot()),
        caller_(tables.functions()[arc.caller]),
        callee_(tables.functions()[arc.callee]),
        arc_(arc),
        measured_(tables.measured()) {}

  std::vector<ExportCallSite> find();

 private:
  void add_calls();
  void add_measured_ticks();
  void share_out_ticks();
  [[nodiscard]] SourceLocation somewhere_in_caller() const;
  ExportCallSite& site(const SourceLocation& place);

  const Snapshot& snapshot_;
  const ExportFunction& caller_;
  const ExportFunction& callee_;
  const ExportArc& arc_;
  const bool measured_;
  std::map<SourceLocation, ExportCallSite> sites_;
};

std::vector<ExportCallSite> Sites::find() {
  add_calls();
  if (measured_) {
    add_measured_ticks();
    for (auto& [place, site] : sites_) {
      site.error = snapshot_.profile().error_in_all_code(site.ticks);
    }
  } else {
    share_out_ticks();
  }
  std::vector<ExportCallSite> found;
  found.reserve(sites_.size());
  for (const auto& [place, site] : sites_) found.push_back(site);
  return found;
}

ExportCallSite& Sites::site(const SourceLocation& place) {
  ExportCallSite& site = sites_[place];
  site.file = place.file;
  site.line = place.line;
  return site;
}

SourceLocation Sites::somewhere_in_caller() const {
  if (caller_.symbols.empty()) return {};
  const auto declared = snapshot_.sources().declaration(caller_.symbols.front());
  return declared ? SourceLocation{declared->file, declared->line} : SourceLocation{};
}

void Sites::add_calls() {
  if (arc_.calls == 0) return;
  std::uint64_t left = arc_.calls;
  std::optional<SourceLocation> doubtful;
  for (const SymbolIndex from : caller_.symbols) {
    for (const SymbolIndex to : callee_.symbols) {
      for (const CallLocation& call : snapshot_.source_index().call_locations(from, to)) {
        if (call.approximate) {
          if (!doubtful) doubtful = call.location;
          continue;
        }
        const std::uint64_t count = std::min(call.count, left);
        site(call.location).calls += count;
        left -= count;
      }
    }
  }
  if (left == 0) return;
  ExportCallSite& rest = site(doubtful.value_or(somewhere_in_caller()));
  rest.calls += left;
  rest.approximate = doubtful.has_value();
}

void Sites::add_measured_ticks() {
  Ticks all = 0;
  for (const MeasuredCallSite& place : arc_.places) all += place.ticks;
  // Where other modules call each other is not known.
  if (caller_.symbols.empty()) site({}).ticks += arc_.ticks;
  if (!(all > 0)) return;
  // In recursion, a sample may lie under calls from several places.
  const double scale = arc_.ticks / all;
  for (const MeasuredCallSite& measured : arc_.places) {
    const auto place = snapshot_.sources().location_in_function(measured.call);
    site(place.value_or(somewhere_in_caller())).ticks += measured.ticks * scale;
  }
}

void Sites::share_out_ticks() {
  for (auto& [place, site] : sites_) {
    const double share = static_cast<double>(site.calls) / static_cast<double>(arc_.calls);
    site.ticks = arc_.ticks * share;
    site.error = arc_.error * share;
  }
}

}  // namespace

std::vector<ExportLine> function_lines(const Snapshot& snapshot,
                                       std::span<const SymbolIndex> symbols) {
  LineSums lines;
  for (const SymbolIndex symbol : symbols) {
    add_self(snapshot, symbol, lines);
    add_executions(snapshot, symbol, lines);
  }
  std::vector<ExportLine> found;
  found.reserve(lines.size());
  for (const auto& [place, line] : lines) found.push_back(line);
  return found;
}

std::vector<ExportCallSite> call_sites(const ExportTables& tables, const ExportArc& arc) {
  return Sites(tables, arc).find();
}

}  // namespace gprof::lsp
