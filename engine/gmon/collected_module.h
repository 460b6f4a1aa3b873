// The gmon profile of one module, out of a sidecar and block counts: what collect_profile() makes
// its files of.
//
// Units: link-time addresses. Thread contract: value types and pure functions. Errors: none; counts
// that no gmon file can hold stop at the largest that it can, with a warning.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "engine/gmon/live_counters.h"
#include "engine/gmon/live_modules.h"
#include "engine/gmon/raw_profile.h"
#include "engine/gmon/sidecar.h"

namespace gprof {

struct CollectedBlock {
  SidecarPlace place;  // the block's call of the collector
  std::uint64_t count = 0;
};

// What a gmon file cannot hold, `what` in words; the first few of these are kept.
void warn_of_limit(Warnings& warnings, std::string what, std::uint64_t limit);

// Every instrumented block, also those that never ran, ascending, and counts that no known block
// explains, at the place that they were counted for.
[[nodiscard]] std::vector<CollectedBlock> collect_blocks(const LiveCounters& live,
                                                         LiveModules& modules);

// What a sidecar and the blocks say of each module. Ownership: borrows the sidecar.
class ModuleContents {
 public:
  ModuleContents(const Sidecar& sidecar, std::vector<CollectedBlock> blocks);

  [[nodiscard]] const Sidecar& sidecar() const { return sidecar_; }
  // Arcs of functions of the module, in the sidecar's order.
  [[nodiscard]] std::span<const std::size_t> arcs_into(std::uint32_t module) const {
    return arcs_into_[module];
  }
  [[nodiscard]] std::span<const SidecarSample> samples(std::uint32_t module) const;
  [[nodiscard]] std::span<const CollectedBlock> blocks(std::uint32_t module) const;
  [[nodiscard]] bool has_counts(std::uint32_t module) const {
    return !arcs_into_[module].empty() || !blocks(module).empty();
  }

 private:
  const Sidecar& sidecar_;
  std::vector<CollectedBlock> blocks_;
  std::vector<std::vector<std::size_t>> arcs_into_;
};

struct ModuleCode {
  std::uint32_t module = 0;
  std::span<const std::byte> build_id;
  AddressRange text;
  Address outside;  // stands for callers that are not in the module; 0 for none
};

[[nodiscard]] RawProfile make_module_profile(const ModuleContents& contents, const ModuleCode& code,
                                             Warnings& warnings);

// Bins of two bytes: over the whole of a small text, else over windows around what was hit. A bin
// that takes several records is a histogram by itself, so that those are small.
[[nodiscard]] std::vector<Histogram> make_histograms(AddressRange text,
                                                     std::span<const SidecarSample> samples,
                                                     Warnings& warnings);

}  // namespace gprof
