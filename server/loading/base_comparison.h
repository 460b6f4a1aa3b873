// Compares a shown program with the base that the user named: another profile of it, or of another
// build.
//
// Each profile of a side is a run; their means are compared, as by `gprof-lsp diff`. The runs are
// kept for the comparison of lines, as far as they are few and small. Thread contract: any thread;
// reads the profiles again if a side has several. Errors: those of read_side() and
// Comparison::make(); cancelled.
#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include "engine/comparison/comparison.h"
#include "engine/support/expected.h"

namespace gprof::lsp {

struct BaseComparison {
  std::shared_ptr<const Comparison> comparison;  // never null
  // One snapshot per run; both empty if that would take too much memory.
  std::vector<std::shared_ptr<const Snapshot>> runs_before;
  std::vector<std::shared_ptr<const Snapshot>> runs_after;
};

[[nodiscard]] Expected<BaseComparison> compare_with_base(
    const std::shared_ptr<const Snapshot>& base, const std::shared_ptr<const Snapshot>& now,
    const std::atomic<bool>& cancelled);

}  // namespace gprof::lsp
