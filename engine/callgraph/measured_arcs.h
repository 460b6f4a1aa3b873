// All arcs of a profile with measured times at once, with the measured time of each arc and each
// call site: for exports, which need all of them. See measured_times.h for the rules.
//
// Other modules' code only counts at the end of a stack, as a callee of the profile's own code and
// of itself (snprintf, which calls vsnprintf). What it calls of the profile's own code is
// attributed to the function before it.
//
// Units: ticks. Thread contract: a pure function.
#pragma once

#include <vector>

#include "engine/callgraph/flame_tree.h"
#include "engine/callgraph/measured_times.h"

namespace gprof {

struct MeasuredCallSite {
  Address call;  // the last byte of the call instruction
  Ticks ticks = 0;
};

// A function that calls itself has an arc to itself.
struct MeasuredCall {
  FlameFrame caller;
  FlameFrame callee;
  Ticks ticks = 0;  // of samples under such calls, each counted once
  // Ascending; empty for calls by other modules' code. With recursion, a sample may be under calls
  // from several places.
  std::vector<MeasuredCallSite> places;
};

// Total time of a function or module.
struct MeasuredFrame {
  FlameFrame frame;
  Ticks self = 0;
  Ticks total = 0;
};

struct MeasuredCalls {
  std::vector<MeasuredFrame> frames;  // ascending; functions, modules and unknown code
  std::vector<MeasuredCall> calls;    // by caller, then callee
};

// From counted calls. Costs in other modules' code without a name are those of unknown code.
[[nodiscard]] MeasuredCalls measured_calls(const SymbolTable& symbols, const CountedTimes& counted);

// From stacks that are complete(); otherwise empty.
[[nodiscard]] MeasuredCalls measured_calls(const SymbolTable& symbols, const StackSamples& stacks);

}  // namespace gprof
