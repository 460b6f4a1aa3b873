// What the flame trees of a snapshot are made of, inlined functions included, and the names of
// their frames.
//
// Ownership: borrows the snapshot. Thread contract: one thread.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "engine/analysis.h"
#include "engine/callgraph/flame_tree.h"
#include "engine/source/inlined_functions.h"
#include "server/features/frame_names.h"

namespace gprof::lsp {

// What its flame tree is made from.
[[nodiscard]] FlameTreeParts flame_parts(const Snapshot& snapshot);

// Finds the inlined functions where the snapshot has stacks, at the cost that
// engine/source/inlined_functions.h states.
class FlameInput {
 public:
  explicit FlameInput(const Snapshot& snapshot);

  // Valid as long as the input.
  [[nodiscard]] FlameTreeParts parts() const;
  [[nodiscard]] const Snapshot& snapshot() const { return snapshot_; }
  [[nodiscard]] std::span<const InlinedFunction> inlined() const { return inlined_.functions; }

 private:
  const Snapshot& snapshot_;
  InlinedFunctions inlined_;
};

class FlameNames {
 public:
  FlameNames(const FlameInput& input, bool demangle);

  // As FrameNames gives it; of inlined functions their qualified name, "[unknown]" if there is
  // none.
  [[nodiscard]] const std::string& of(const FlameFrame& frame);
  [[nodiscard]] std::string module_of(const FlameFrame& frame) const {
    return names_.module_of(frame);
  }

 private:
  FrameNames names_;
  std::vector<std::string> inlined_;  // by number
};

}  // namespace gprof::lsp
