// Compares a shown program with the base that the user named: another profile of it, or of another
// build.
//
// Each profile of a side is a run; their means are compared. Thread contract: any thread; reads the
// profiles again if a side has several. Errors: those of read_side() and Comparison::make();
// cancelled.
#pragma once

#include <atomic>
#include <memory>

#include "engine/comparison/comparison.h"
#include "engine/support/expected.h"

namespace gprof::lsp {

[[nodiscard]] Expected<std::shared_ptr<const Comparison>> compare_with_base(
    const Snapshot& base, const Snapshot& now, const std::atomic<bool>& cancelled);

}  // namespace gprof::lsp
