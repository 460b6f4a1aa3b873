#include "engine/callgraph/time_bounds.h"

#include <algorithm>
#include <cmath>

namespace gprof {
namespace {

constexpr double deviations = 3;

TimeBounds widened(Ticks low, Ticks high) {
  return {std::max(0.0, low - deviations * std::sqrt(low)), high + deviations * std::sqrt(high)};
}

bool is_one_of(std::span<const SymbolIndex> symbols, SymbolIndex symbol) {
  return std::find(symbols.begin(), symbols.end(), symbol) != symbols.end();
}

bool holds(const std::vector<bool>& facts, SymbolIndex symbol) {
  return !facts.empty() && facts[symbol];
}

}  // namespace

BoundedTimes::BoundedTimes(const CallGraph& graph, UncountedCode uncounted)
    : graph_(graph), uncounted_(std::move(uncounted)) {
  const auto count = static_cast<SymbolIndex>(graph_.callees_first().size());
  for (SymbolIndex symbol = 0; symbol < count; ++symbol) {
    const auto callers = graph_.callers(symbol);
    const bool called = std::any_of(callers.begin(), callers.end(), [&](ArcIndex index) {
      const GraphArc& arc = graph_.arc(index);
      return arc.caller != symbol && arc.caller != no_symbol && arc.count > 0;
    });
    if (holds(uncounted_.entered, symbol)) entered_.push_back(symbol);
    if (!called || holds(uncounted_.entered, symbol)) roots_.push_back(symbol);
  }
  runs_ = reach(roots_, [](SymbolIndex, SymbolIndex) { return false; });
}

std::vector<bool> BoundedTimes::reach(std::vector<SymbolIndex> from, const Closed& closed) const {
  std::vector<bool> reached(graph_.callees_first().size());
  bool left = false;  // into code that counts no calls
  const auto enter = [&](SymbolIndex symbol) {
    if (reached[symbol]) return;
    reached[symbol] = true;
    from.push_back(symbol);
  };
  std::vector<SymbolIndex> begin;
  begin.swap(from);
  for (const SymbolIndex symbol : begin) enter(symbol);
  while (!from.empty()) {
    const SymbolIndex symbol = from.back();
    from.pop_back();
    for (const ArcIndex index : graph_.callees(symbol)) {
      const GraphArc& arc = graph_.arc(index);
      if (arc.count > 0 && !closed(symbol, arc.callee)) enter(arc.callee);
    }
    if (left || !holds(uncounted_.leaves, symbol)) continue;
    left = true;
    for (const SymbolIndex entered : entered_) enter(entered);
  }
  return reached;
}

Ticks BoundedTimes::self_of_reached(Symbols from) const {
  const auto reached =
      reach({from.begin(), from.end()}, [](SymbolIndex, SymbolIndex) { return false; });
  Ticks self = 0;
  for (SymbolIndex symbol = 0; symbol < reached.size(); ++symbol) {
    if (reached[symbol]) self += graph_.node(symbol).self;
  }
  return self;
}

Ticks BoundedTimes::self_behind(const Closed& closed) const {
  std::vector<SymbolIndex> roots;
  for (const SymbolIndex root : roots_) {
    if (!closed(no_symbol, root)) roots.push_back(root);
  }
  const auto reached = reach(std::move(roots), closed);
  Ticks self = 0;
  for (SymbolIndex symbol = 0; symbol < reached.size(); ++symbol) {
    if (runs_[symbol] && !reached[symbol]) self += graph_.node(symbol).self;
  }
  return self;
}

TimeBounds BoundedTimes::total(Symbols function) const {
  const Ticks low =
      self_behind([&](SymbolIndex /*from*/, SymbolIndex to) { return is_one_of(function, to); });
  return widened(low, self_of_reached(function));
}

TimeBounds BoundedTimes::arc(Symbols caller, Symbols callee) const {
  const Ticks low = self_behind([&](SymbolIndex from, SymbolIndex to) {
    return from != no_symbol && is_one_of(caller, from) && is_one_of(callee, to);
  });
  return widened(low, std::min(self_of_reached(caller), self_of_reached(callee)));
}

}  // namespace gprof
