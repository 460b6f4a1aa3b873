// A tree of calls with their times, from which flame graphs are drawn.
//
// If the profile's stacks represent all of it, the tree is made of them (measured). Otherwise it
// comes from gprof's propagation (estimated): it starts at the functions without known callers, and
// every arc takes its fraction of the callee's time, however the caller was reached. The members of
// a cycle are one entity there, as in gprof's model: a node for the cycle, with its members below
// it.
//
// No time is lost: at every node, total = self + the children's totals + left_out, and the root's
// total is the whole time. Bounded: leaves out small and deep nodes, and the smallest ones once the
// limit on their number is reached.
//
// Units: ticks. Ownership: owns its nodes; keeps no references. Thread contract: immutable.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/analysis/stack_samples.h"
#include "engine/callgraph/call_graph.h"
#include "engine/callgraph/inlined_chains.h"
#include "engine/callgraph/measured_times.h"

namespace gprof {

enum class FlameFrameKind : std::uint8_t {
  root,       // the whole program
  function,   // number: its SymbolIndex
  cycle,      // number: its CycleNumber; only in estimated trees
  inlined,    // inlined into the frame around it; number: as in FlameTreeParts::inlined
  module,     // a function or code of another module; number: of its ExternalCode in StackSamples
  unknown,    // code of no function, or of an unknown module
  truncated,  // in place of missing frames: the outer ones, or some in the middle
  no_stack,   // parent of samples counted without a stack
  collector,  // the program's own copy of the collector (mcount); only in tables
};

struct FlameFrame {
  FlameFrameKind kind = FlameFrameKind::root;
  std::uint32_t number = 0;

  friend auto operator<=>(const FlameFrame&, const FlameFrame&) = default;
};

struct FlameNode {
  FlameFrame frame;
  std::uint32_t parent = 0;  // the root is its own parent
  std::uint32_t depth = 0;   // in calls from the root
  Ticks self = 0;
  Ticks total = 0;
  Ticks left_out = 0;  // of callees that have no node here
  std::vector<std::uint32_t> children;
};

struct FlameTreeParts {
  const SymbolTable& symbols;
  const FunctionCosts& profile;
  const CallGraph& graph;  // as gprof estimates it
  const StackSamples& stacks;
  const MeasuredTimes& measured;
  // Null: inlined code is its function's. Only measured trees show it.
  const InlinedChains* inlined = nullptr;
};

struct FlameTreeRequest {
  // The symbols of one function: the tree of what ran under it, all paths to it merged. Empty: the
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
  // The root first. Parents come before their children; children by descending time, then by
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
// What the histogram counted beyond the stacks, if some were lost.
[[nodiscard]] std::vector<SamplesWithoutStack> samples_without_stack(const FunctionCosts& profile,
                                                                     const StackSamples& stacks);

// The frame of a symbol: split-off parts count as their function.
[[nodiscard]] FlameFrame flame_frame(const SymbolTable& symbols, SymbolIndex symbol);
// The frame of another module's code; unknown if the stacks know no such code.
[[nodiscard]] FlameFrame flame_frame(const StackSamples& stacks, const ModuleSamples& module);
// Whether it is of a function, of whatever module.
[[nodiscard]] bool is_of_function(const StackSamples& stacks, const FlameFrame& frame);
// The frame of a place on a stack.
[[nodiscard]] FlameFrame flame_frame(const SymbolTable& symbols, const StackSamples& stacks,
                                     const StackFrame& frame);

}  // namespace gprof
