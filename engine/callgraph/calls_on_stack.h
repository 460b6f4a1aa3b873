// The calls that a sampled stack consists of.
//
// Thread contract: pure functions.
#pragma once

#include "engine/analysis/stack_samples.h"

namespace gprof {

// Each call on a stack, innermost first: visit(caller, callee, whether the sample is in the
// callee's own code). The outermost function's caller is no_symbol.
template <typename Visit>
void for_each_call(const SampledStack& stack, const Visit& visit) {
  const SymbolIndex sampled = stack.frames.front().symbol;
  SymbolIndex callee = no_symbol;
  for (const StackFrame& frame : stack.frames) {
    // The caller of left-out frames is unknown.
    if (frame.module == StackFrame::left_out) callee = no_symbol;
    if (frame.symbol == no_symbol) continue;
    if (callee != no_symbol) visit(frame.symbol, callee, callee == sampled);
    callee = frame.symbol;
  }
  if (callee != no_symbol && !stack.truncated) visit(no_symbol, callee, callee == sampled);
}

}  // namespace gprof
