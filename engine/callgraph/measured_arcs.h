// Every arc of a profile with measured times at once, with its measured time and that of each place
// of a call: what exports need, who ask for all arcs. See measured_times.h for the rules.
//
// Code of other modules has a part at the end of a stack alone: as something that was called. What
// it calls is called by the function before it.
//
// Units: ticks. Thread contract: a pure function.
#pragma once

#include <vector>

#include "engine/callgraph/flame_tree.h"
#include "engine/callgraph/measured_times.h"

namespace gprof {

struct MeasuredPlace {
  Address call;  // the last byte of the call instruction
  Ticks ticks = 0;
};

// A function that calls itself has an arc to itself.
struct MeasuredCall {
  FlameFrame caller;
  FlameFrame callee;
  Ticks ticks = 0;  // of samples under such calls; each counted once
  // Ascending. In recursion a sample may lie under calls from several places.
  std::vector<MeasuredPlace> places;
};

// What a function or module took with all that it called.
struct MeasuredFrame {
  FlameFrame frame;
  Ticks self = 0;
  Ticks total = 0;
};

struct MeasuredCalls {
  std::vector<MeasuredFrame> frames;  // ascending; functions, modules and unknown code
  std::vector<MeasuredCall> calls;    // by caller, then callee
};

// Of what was counted; what was counted of other modules is that of unknown code.
[[nodiscard]] MeasuredCalls measured_calls(const SymbolTable& symbols, const CountedTimes& counted);

// Of stacks that are complete(); else the answer is empty.
[[nodiscard]] MeasuredCalls measured_calls(const SymbolTable& symbols, const StackSamples& stacks);

}  // namespace gprof
