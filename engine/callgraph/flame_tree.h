// A tree of calls with the time of each: what flame graphs are drawn from.
//
// Where the profile's stacks speak for all of it, they are the tree (measured). Elsewhere it is
// made from gprof's propagation (estimated): it begins at the functions that nobody known calls,
// and every arc takes its fraction of the callee's time, whatever the way by which the caller was
// reached. The members of a cycle are one entity there, as everywhere in gprof's model: a node for
// the cycle, with its members below it.
//
// No time is lost: at every node, total = self + the children's totals + left_out, and the root's
// total is all that there is. Bounded: small nodes and deep ones are left out, and those for which
// there is no room once the largest have theirs.
//
// Units: ticks. Ownership: owns its nodes; refers to no part. Thread contract: immutable.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/callgraph/call_graph.h"
#include "engine/callgraph/measured_times.h"
#include "engine/profile/stack_samples.h"

namespace gprof {

enum class FlameFrameKind : std::uint8_t {
  root,       // all of the program
  function,   // number: its SymbolIndex
  cycle,      // number: its CycleNumber; estimated trees alone
  module,     // code of another module; number: its name's in StackSamples
  unknown,    // code of no function, or of a module whose name is not known
  truncated,  // in the place of frames that are missing: the outer ones, or some in the middle
  no_stack,   // below it: samples that were counted without their stack
  collector,  // the program's own copy of the collector (mcount); in tables alone
};

struct FlameFrame {
  FlameFrameKind kind = FlameFrameKind::root;
  std::uint32_t number = 0;

  friend auto operator<=>(const FlameFrame&, const FlameFrame&) = default;
};

struct FlameNode {
  FlameFrame frame;
  std::uint32_t parent = 0;  // the root's is itself
  std::uint32_t depth = 0;   // calls away from the root
  Ticks self = 0;
  Ticks total = 0;
  Ticks left_out = 0;  // of callees that have no node here
  std::vector<std::uint32_t> children;
};

struct FlameTreeParts {
  const SymbolTable& symbols;
  const Profile& profile;
  const CallGraph& graph;  // as gprof estimates it
  const StackSamples& stacks;
  const MeasuredTimes& measured;
};

struct FlameTreeRequest {
  // The symbols of one function: the tree of what ran under it, all ways to it merged. Empty: the
  // whole program.
  std::vector<SymbolIndex> function;
  double minimum_share = 0;  // of the whole tree's time
  std::uint32_t maximum_depth = 256;
  std::size_t maximum_nodes = 100'000;
};

class FlameTree {
 public:
  static FlameTree build(const FlameTreeParts& parts, const FlameTreeRequest& request);

  [[nodiscard]] bool measured() const { return measured_; }
  // The first is the root. Parents stand before their children; children most time first, then by
  // linkage name.
  [[nodiscard]] std::span<const FlameNode> nodes() const { return nodes_; }
  [[nodiscard]] const FlameNode& node(std::uint32_t index) const { return nodes_[index]; }
  [[nodiscard]] Ticks total() const { return nodes_.front().total; }

 private:
  FlameTree(bool measured, std::vector<FlameNode> nodes)
      : measured_(measured), nodes_(std::move(nodes)) {}

  bool measured_ = false;
  std::vector<FlameNode> nodes_;
};

struct SamplesWithoutStack {
  SymbolIndex symbol = no_symbol;
  Ticks ticks = 0;
};
// What the histogram has counted beyond the stacks, where some were lost.
[[nodiscard]] std::vector<SamplesWithoutStack> samples_without_stack(const Profile& profile,
                                                                     const StackSamples& stacks);

// The frame of a symbol: a part that the compiler split off is its function's.
[[nodiscard]] FlameFrame flame_frame(const SymbolTable& symbols, SymbolIndex symbol);
// Of another module's code; unknown where the stacks know no module of that name.
[[nodiscard]] FlameFrame flame_frame(const StackSamples& stacks, const ModuleSamples& module);
// The frame of a place on a stack.
[[nodiscard]] FlameFrame flame_frame(const SymbolTable& symbols, const StackSamples& stacks,
                                     const StackFrame& frame);

}  // namespace gprof
