// The gmon profile of one module, from a sidecar and block counts: collect_profile() makes its
// files from these.
//
// Units: link-time addresses. Thread contract: value types and pure functions. Errors: none; counts
// too large for a gmon file stop at its maximum, with a warning.
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
  ModuleAddress place;  // the block's call to the collector
  std::uint64_t count = 0;
};

// Warns that a gmon file cannot hold `what` (in words); keeps only the first few warnings.
void warn_of_limit(Warnings& warnings, std::string what, std::uint64_t limit);

// Every instrumented block, including those that never ran, ascending; and counts that match no
// known block, at the place they were counted for.
[[nodiscard]] std::vector<CollectedBlock> collect_blocks(const LiveCounters& live,
                                                         LiveModules& modules);

// What a sidecar and the blocks say about each module. Ownership: borrows the sidecar.
class ModuleContents {
 public:
  ModuleContents(const Sidecar& sidecar, std::vector<CollectedBlock> blocks);

  [[nodiscard]] const Sidecar& sidecar() const { return sidecar_; }
  // Arcs to functions of the module, in the sidecar's order.
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
  Address outside;  // stands for callers outside the module; 0 for none
};

[[nodiscard]] RawProfile make_module_profile(const ModuleContents& contents, const ModuleCode& code,
                                             Warnings& warnings);

// Bins of two bytes: over the whole of a small text, else over windows around what was hit. A bin
// that takes several records is a histogram of its own, so that those are small.
[[nodiscard]] std::vector<Histogram> make_histograms(AddressRange text,
                                                     std::span<const SidecarSample> samples,
                                                     Warnings& warnings);

}  // namespace gprof
