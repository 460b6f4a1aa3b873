#include "engine/callgraph/measured_arcs.h"

#include <map>
#include <tuple>

namespace gprof {
namespace {

// Ticks of samples, counting each sample once.
struct Sum {
  Ticks ticks = 0;
  std::size_t next_stack = 0;  // the first that may still be added

  void add(std::size_t stack, Ticks count) {
    if (stack < next_stack) return;
    next_stack = stack + 1;
    ticks += count;
  }
};

class CallCounter {
 public:
  CallCounter(const SymbolTable& symbols, const StackSamples& stacks)
      : symbols_(symbols), stacks_(stacks) {}

  MeasuredCalls count();

 private:
  struct FrameSum {
    Ticks self = 0;
    Sum total;
  };
  struct CallSum {
    Sum ticks;
    std::map<Address, Sum> places;
  };

  void add(std::size_t index, const SampledStack& stack);
  [[nodiscard]] MeasuredCalls result() const;

  const SymbolTable& symbols_;
  const StackSamples& stacks_;
  std::map<FlameFrame, FrameSum> frames_;
  std::map<std::pair<FlameFrame, FlameFrame>, CallSum> calls_;
};

MeasuredCalls CallCounter::count() {
  if (!stacks_.complete()) return {};
  for (std::size_t i = 0; i < stacks_.size(); ++i) {
    if (stacks_[i].count > 0) add(i, stacks_[i]);
  }
  return result();
}

void CallCounter::add(std::size_t index, const SampledStack& stack) {
  FlameFrame callee;      // not set for the root
  bool left_out = false;  // frames between the caller and the callee
  bool external = true;   // nothing but other modules' code has been seen
  for (const StackFrame& place : stack.frames) {
    if (place.module == StackFrame::left_out) {
      left_out = true;
      continue;
    }
    const FlameFrame frame = flame_frame(symbols_, stacks_, place);
    const bool innermost = callee.kind == FlameFrameKind::root;
    const bool own = frame.kind == FlameFrameKind::function;
    FrameSum& sum = frames_[frame];
    if (innermost) sum.self += stack.count;
    sum.total.add(index, stack.count);
    // How often code without symbols calls itself means nothing.
    const bool repeated = frame == callee && !is_of_function(stacks_, frame);
    external = external && frame.kind == FlameFrameKind::module;
    if (!innermost && !own && (!external || repeated)) continue;
    if (!innermost && !left_out) {
      CallSum& call = calls_[{frame, callee}];
      call.ticks.add(index, stack.count);
      if (own) call.places[place.place].add(index, stack.count);
    }
    left_out = false;
    callee = frame;
  }
}

MeasuredCalls CallCounter::result() const {
  MeasuredCalls result;
  for (const auto& [frame, sum] : frames_) {
    result.frames.push_back({frame, sum.self, sum.total.ticks});
  }
  for (const auto& [ends, sum] : calls_) {
    MeasuredCall call{ends.first, ends.second, sum.ticks.ticks, {}};
    for (const auto& [place, ticks] : sum.places) call.places.push_back({place, ticks.ticks});
    result.calls.push_back(std::move(call));
  }
  return result;
}

}  // namespace

MeasuredCalls measured_calls(const SymbolTable& symbols, const CountedTimes& counted) {
  constexpr FlameFrame other_code{FlameFrameKind::unknown, 0};
  std::map<FlameFrame, std::vector<SymbolIndex>> functions;
  for (SymbolIndex symbol = 0; symbol < symbols.size(); ++symbol) {
    if (counted.total(symbol) > 0) functions[flame_frame(symbols, symbol)].push_back(symbol);
  }
  MeasuredCalls result;
  for (const auto& [frame, parts] : functions) {
    result.frames.push_back({frame, 0, counted.total(parts)});
  }
  for (const auto& [number, cost] : counted.external_costs()) {
    result.frames.push_back({{FlameFrameKind::module, number}, cost.self, cost.total});
  }
  const Ticks external = counted.unnamed_external();
  if (external > 0) result.frames.push_back({other_code, external, external});
  std::map<std::pair<FlameFrame, FlameFrame>, std::map<Address, Ticks>> calls;
  for (const InclusiveCall& call : counted.calls()) {
    const auto code = counted.external_code(call);
    const FlameFrame callee = call.callee ? flame_frame(symbols, *call.callee)
                              : code      ? FlameFrame{FlameFrameKind::module, *code}
                                          : other_code;
    calls[{flame_frame(symbols, call.caller), callee}][call.place] += call.ticks;
  }
  for (const auto& [ends, places] : calls) {
    MeasuredCall call{ends.first, ends.second, 0, {}};
    for (const auto& [place, ticks] : places) {
      call.places.push_back({place, ticks});
      call.ticks += ticks;
    }
    result.calls.push_back(std::move(call));
  }
  return result;
}

MeasuredCalls measured_calls(const SymbolTable& symbols, const StackSamples& stacks) {
  return CallCounter(symbols, stacks).count();
}

}  // namespace gprof
