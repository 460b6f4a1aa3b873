#include "engine/gmon/collected_module.h"

#include <algorithm>
#include <tuple>

#include <fmt/format.h>

#include "engine/gmon/writer.h"
#include "engine/support/saturating.h"
#include "formats/gmon_rules.h"

namespace gprof {
namespace {

constexpr std::uint64_t largest_arc = most_records_a_count * gprof_formats::most_calls_a_record;

// The entries of one module. `entries` are sorted by place first.
template <typename Entry>
std::span<const Entry> of_module(const std::vector<Entry>& entries, std::uint32_t module) {
  const auto low = std::lower_bound(
      entries.begin(), entries.end(), module,
      [](const Entry& entry, std::uint32_t wanted) { return entry.place.module < wanted; });
  const auto high = std::upper_bound(
      low, entries.end(), module,
      [](std::uint32_t wanted, const Entry& entry) { return wanted < entry.place.module; });
  return {entries.data() + (low - entries.begin()), static_cast<std::size_t>(high - low)};
}

// The caller's address as recorded in the module's file.
Address caller_of(const SidecarArc& arc, const ModuleCode& code) {
  const gprof_formats::CallOrigin origin = {arc.profiled_caller.module,
                                            arc.profiled_caller.address.value, arc.from.module,
                                            arc.from.address.value};
  return Address{gprof_formats::caller_in_file(origin, code.module, code.outside.value)};
}

std::vector<RawArc> make_arcs(const ModuleContents& contents, const ModuleCode& code,
                              Warnings& warnings) {
  std::vector<RawArc> arcs;
  for (const std::size_t index : contents.arcs_into(code.module)) {
    const SidecarArc& arc = contents.sidecar().arcs[index];
    arcs.push_back({caller_of(arc, code), arc.self.address, arc.count});
  }
  std::sort(arcs.begin(), arcs.end(), [](const RawArc& a, const RawArc& b) {
    return std::tie(a.from_pc, a.self_pc) < std::tie(b.from_pc, b.self_pc);
  });
  std::size_t kept = 0;
  for (const RawArc& arc : arcs) {
    if (kept > 0 && arcs[kept - 1].from_pc == arc.from_pc &&
        arcs[kept - 1].self_pc == arc.self_pc) {
      arcs[kept - 1].count = saturating_add(arcs[kept - 1].count, arc.count);
    } else {
      arcs[kept++] = arc;
    }
  }
  arcs.resize(kept);
  for (RawArc& arc : arcs) {
    if (arc.count <= largest_arc) continue;
    warn_of_limit(warnings,
                  fmt::format("{} calls by the arc from {:#x} to {:#x}", arc.count,
                              arc.from_pc.value, arc.self_pc.value),
                  largest_arc);
    arc.count = largest_arc;
  }
  return arcs;
}

}  // namespace

void warn_of_limit(Warnings& warnings, std::string what, std::uint64_t limit) {
  constexpr std::size_t most_warnings = 20;
  if (warnings.size() >= most_warnings) return;
  warnings.push_back(
      {ErrorCode::unsupported,
       fmt::format("{}: a gmon file holds at most {}; the sidecar has the whole count", what,
                   limit),
       {},
       std::nullopt});
}

ModuleContents::ModuleContents(const Sidecar& sidecar, std::vector<CollectedBlock> blocks)
    : sidecar_(sidecar), blocks_(std::move(blocks)), arcs_into_(sidecar.modules.size()) {
  for (std::size_t i = 0; i < sidecar.arcs.size(); ++i) {
    const std::uint32_t module = sidecar.arcs[i].self.module;
    if (module < arcs_into_.size()) arcs_into_[module].push_back(i);
  }
}

std::span<const SidecarSample> ModuleContents::samples(std::uint32_t module) const {
  return of_module(sidecar_.samples, module);
}

std::span<const CollectedBlock> ModuleContents::blocks(std::uint32_t module) const {
  return of_module(blocks_, module);
}

RawProfile make_module_profile(const ModuleContents& contents, const ModuleCode& code,
                               Warnings& warnings) {
  RawProfile profile;
  profile.rate = gprof_formats::rate_in_file(contents.sidecar().process.requested_rate);
  if (!code.build_id.empty()) {
    auto& prefix = profile.build_id_prefix.emplace();
    std::copy_n(code.build_id.begin(), std::min(prefix.size(), code.build_id.size()),
                prefix.begin());
  }
  profile.histograms = make_histograms(code.text, contents.samples(code.module), warnings);
  profile.arcs = make_arcs(contents, code, warnings);
  for (const CollectedBlock& block : contents.blocks(code.module)) {
    profile.blocks.push_back({block.place.address, block.count});
  }
  profile.histogram_records = profile.histograms.size();
  profile.arc_records = profile.arcs.size();
  profile.block_records = profile.blocks.empty() ? 0 : 1;
  return profile;
}

}  // namespace gprof
