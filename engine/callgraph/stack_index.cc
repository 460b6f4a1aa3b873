#include <algorithm>
#include <utility>

#include "engine/callgraph/calls_on_stack.h"
#include "engine/callgraph/measured_times.h"
#include "engine/support/radix_sort.h"

namespace gprof {
namespace {

// Each symbol of a stack, once.
template <typename Visit>
void for_each_symbol(const StackSamples& stacks, std::vector<std::uint32_t>& last_stack,
                     const Visit& visit) {
  for (std::uint32_t stack = 0; stack < stacks.size(); ++stack) {
    for (const StackFrame& frame : stacks[stack].frames) {
      if (frame.symbol >= last_stack.size() || last_stack[frame.symbol] == stack + 1) continue;
      last_stack[frame.symbol] = stack + 1;
      visit(frame.symbol, stack);
    }
  }
}

struct CallOnStack {
  SymbolIndex caller;
  SymbolIndex callee;
  StackIndex::ArcStack with;
};

// `calls`: ascending by stack.
void add_arcs(StackIndex& index, std::vector<CallOnStack> calls) {
  // The sort is stable, so the stacks of an arc stay in order.
  radix_sort(calls, [](const CallOnStack& call) {
    return std::uint64_t{call.caller} << 32U | call.callee;
  });
  for (const CallOnStack& call : calls) {
    const bool known = !index.arcs.empty() && index.arcs.back().caller == call.caller &&
                       index.arcs.back().callee == call.callee;
    if (!known) index.arcs.push_back({call.caller, call.callee, index.arc_stacks.size()});
    if (known && index.arc_stacks.back().stack == call.with.stack) {
      index.arc_stacks.back().self |= call.with.self;
    } else {
      index.arc_stacks.push_back(call.with);
    }
    index.arcs.back().end = index.arc_stacks.size();
  }
}

void add_symbols(StackIndex& index, const StackSamples& stacks, std::size_t symbol_count) {
  index.first.resize(symbol_count + 1);
  std::vector<std::uint32_t> last_stack(symbol_count);
  for_each_symbol(stacks, last_stack,
                  [&](SymbolIndex symbol, std::uint32_t) { ++index.first[symbol + 1]; });
  for (std::size_t i = 0; i < symbol_count; ++i) index.first[i + 1] += index.first[i];
  index.of_symbol.resize(index.first.back());
  std::vector<std::uint32_t> next(index.first.begin(), index.first.end() - 1);
  std::fill(last_stack.begin(), last_stack.end(), 0);
  for_each_symbol(stacks, last_stack, [&](SymbolIndex symbol, std::uint32_t stack) {
    index.of_symbol[next[symbol]++] = stack;
  });
}

}  // namespace

StackIndex::StackIndex(const StackSamples& stacks, std::size_t symbol_count) {
  add_symbols(*this, stacks, symbol_count);
  std::vector<CallOnStack> calls;
  for (std::uint32_t stack = 0; stack < stacks.size(); ++stack) {
    const SampledStack sampled = stacks[stack];
    for_each_call(sampled, [&](SymbolIndex caller, SymbolIndex callee, bool own_code) {
      if (caller == callee) return;
      calls.push_back({caller, callee, {stack & 0x7fffffffU, own_code ? 1U : 0U}});
    });
    for (std::uint32_t i = 0; i < sampled.frames.size(); ++i) {
      if (sampled.frames[i].module != StackSamples::own_module) continue;
      frames.push_back({sampled.frames[i].place, stack, i});
    }
  }
  add_arcs(*this, std::move(calls));
  // The frames of a place stay in the order of stacks and positions.
  radix_sort(frames, [](const Frame& frame) { return frame.place.value; });
}

}  // namespace gprof
