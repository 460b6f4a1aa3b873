#include "engine/callgraph/time_bounds.h"

#include <algorithm>

#include "engine/support/index_table.h"

namespace gprof {
namespace {

constexpr double deviations = 3;

bool is_one_of(std::span<const SymbolIndex> symbols, SymbolIndex symbol) {
  return std::find(symbols.begin(), symbols.end(), symbol) != symbols.end();
}

// A report's graph may have a row after all symbols, for which nothing is known.
bool holds(const SymbolFlags& facts, SymbolIndex symbol) {
  return symbol < facts.size() && facts[symbol] != 0;
}

}  // namespace

BoundedTimes::BoundedTimes(const CallGraph& graph, UninstrumentedCode uncounted,
                           const SampleErrors& errors, std::size_t most_steps)
    : graph_(graph), uncounted_(std::move(uncounted)), errors_(errors), most_steps_(most_steps) {
  find_roots();
  find_dominators();
  bound_by_callees();
}

TimeBounds BoundedTimes::widened(Ticks low, Ticks high) const {
  return {std::max(0.0, low - deviations * errors_.error_of(low)),
          high + deviations * errors_.error_of(high)};
}

void BoundedTimes::find_roots() {
  const auto count = static_cast<SymbolIndex>(graph_.callees_first().size());
  std::vector<SymbolIndex> entered;  // by uninstrumented code
  is_root_.resize(count);
  for (SymbolIndex symbol = 0; symbol < count; ++symbol) {
    const auto callers = graph_.callers(symbol);
    const bool called = std::any_of(callers.begin(), callers.end(), [&](ArcIndex index) {
      const GraphArc& arc = graph_.arc(index);
      return arc.caller != symbol && arc.caller != no_symbol && arc.count > 0;
    });
    if (holds(uncounted_.entered, symbol)) entered.push_back(symbol);
    is_root_[symbol] = !called || holds(uncounted_.entered, symbol) ? 1 : 0;
    if (is_root_[symbol] != 0) roots_.push_back(symbol);
  }
  const auto behind = reach(std::move(entered), [](SymbolIndex, SymbolIndex) { return false; });
  behind_uncounted_ = std::vector<std::uint8_t>(behind.begin(), behind.end());
  for (SymbolIndex symbol = 0; symbol < count; ++symbol) {
    if (behind_uncounted_[symbol] != 0) self_behind_uncounted_ += graph_.node(symbol).self;
  }
}

void BoundedTimes::find_dominators() {
  const auto count = static_cast<SymbolIndex>(graph_.callees_first().size());
  ArcLists calls;
  calls.first.push_back(0);
  calls.first.reserve(count + 1);
  calls.targets.reserve(graph_.arcs().size());
  std::vector<Ticks> self(count);
  for (SymbolIndex symbol = 0; symbol < count; ++symbol) {
    self[symbol] = graph_.node(symbol).self;
    for (const ArcIndex index : graph_.callees(symbol)) {
      const GraphArc& arc = graph_.arc(index);
      if (arc.count > 0) calls.targets.push_back(arc.callee);
    }
    calls.first.push_back(static_cast<std::uint32_t>(calls.targets.size()));
  }
  dominators_ = DominatorTree(calls, roots_);
  behind_ = dominators_.sums_behind(self);
}

void BoundedTimes::bound_by_callees() {
  reaches_at_most_.resize(graph_.callees_first().size());
  for (std::size_t begin = 0; begin < reaches_at_most_.size();) {
    begin = bound_component(begin, all_self_);
  }
}

std::size_t BoundedTimes::bound_component(std::size_t begin, Ticks& before) {
  const auto order = graph_.callees_first();
  const CycleNumber cycle = graph_.node(order[begin]).cycle;
  std::size_t end = begin + 1;
  while (cycle != 0 && end < order.size() && graph_.node(order[end]).cycle == cycle) ++end;
  const auto members = order.subspan(begin, end - begin);
  Ticks with_callees = 0;
  for (const SymbolIndex symbol : members) {
    before += graph_.node(symbol).self;
    with_callees += graph_.node(symbol).self;
    for (const ArcIndex index : graph_.callees(symbol)) {
      const GraphArc& arc = graph_.arc(index);
      const bool inside =
          arc.callee == symbol || (cycle != 0 && graph_.node(arc.callee).cycle == cycle);
      if (arc.count > 0 && !inside) with_callees += reaches_at_most_[arc.callee];
    }
  }
  for (const SymbolIndex symbol : members) {
    reaches_at_most_[symbol] = std::min(before, with_callees);
  }
  return end;
}

std::vector<bool> BoundedTimes::reach(std::vector<SymbolIndex> from, const Closed& closed) const {
  std::vector<bool> reached(graph_.callees_first().size());
  for (const SymbolIndex symbol : from) reached[symbol] = true;
  while (!from.empty()) {
    const SymbolIndex symbol = from.back();
    from.pop_back();
    for (const ArcIndex index : graph_.callees(symbol)) {
      const GraphArc& arc = graph_.arc(index);
      if (arc.count == 0 || reached[arc.callee] || closed(symbol, arc.callee)) continue;
      reached[arc.callee] = true;
      from.push_back(arc.callee);
    }
  }
  return reached;
}

std::optional<Ticks> BoundedTimes::walk_from(Symbols from) const {
  const std::size_t most = std::min(from.size() + most_steps_, graph_.callees_first().size());
  IndexTable known(most);
  std::vector<SymbolIndex> reached;
  const auto enter = [&](SymbolIndex symbol) {
    const auto next = static_cast<std::uint32_t>(reached.size());
    const auto is_symbol = [&](std::uint32_t place) { return reached[place] == symbol; };
    if (known.find_or_add(hash_of(symbol, 0), next, is_symbol) == next) reached.push_back(symbol);
  };
  for (const SymbolIndex symbol : from) enter(symbol);
  bool left = false;  // into uninstrumented code
  std::size_t steps = 0;
  for (std::size_t i = 0; i < reached.size(); ++i) {
    const SymbolIndex symbol = reached[i];
    left = left || holds(uncounted_.leaves, symbol);
    if (left && behind_uncounted_[symbol] != 0) continue;
    for (const ArcIndex index : graph_.callees(symbol)) {
      if (++steps > most_steps_) return std::nullopt;
      const GraphArc& arc = graph_.arc(index);
      if (arc.count > 0) enter(arc.callee);
    }
  }
  Ticks self = left ? self_behind_uncounted_ : 0;
  for (const SymbolIndex symbol : reached) {
    if (!left || behind_uncounted_[symbol] == 0) self += graph_.node(symbol).self;
  }
  return self;
}

Ticks BoundedTimes::self_of_reached(Symbols from) const {
  std::vector<SymbolIndex> key(from.begin(), from.end());
  {
    const std::lock_guard lock(mutex_);
    const auto known = reached_.find(key);
    if (known != reached_.end()) return known->second;
  }
  const auto walked = walk_from(from);
  Ticks self = walked.value_or(uncounted_.leaves.empty() ? 0 : self_behind_uncounted_);
  if (!walked) {
    for (const SymbolIndex symbol : from) self += reaches_at_most_[symbol];
    self = std::min(self, all_self_);
  }
  const std::lock_guard lock(mutex_);
  if (reached_.size() >= most_kept) reached_.clear();
  reached_.emplace(std::move(key), self);
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
    if (dominators_.is_reached(symbol) && !reached[symbol]) self += graph_.node(symbol).self;
  }
  return self;
}

Ticks BoundedTimes::self_behind(Symbols function) const {
  Ticks self = 0;
  for (const SymbolIndex symbol : dominators_.outermost(function)) self += behind_[symbol];
  return self;
}

// Whether every path first enters `callee` by a call from one of the callers.
bool BoundedTimes::is_entered_by(Symbols callers, SymbolIndex callee) const {
  if (is_root_[callee] != 0 || !dominators_.is_reached(callee)) return false;
  const auto arcs = graph_.callers(callee);
  return std::all_of(arcs.begin(), arcs.end(), [&](ArcIndex index) {
    const GraphArc& arc = graph_.arc(index);
    return arc.caller == no_symbol || arc.count == 0 || !dominators_.is_reached(arc.caller) ||
           is_one_of(callers, arc.caller) || dominators_.dominates(callee, arc.caller);
  });
}

TimeBounds BoundedTimes::total(Symbols function) const {
  const bool walk = function.size() > 1 && may_walk();
  const Ticks low = walk ? self_behind([&](SymbolIndex /*from*/, SymbolIndex to) {
    return is_one_of(function, to);
  })
                         : self_behind(function);
  return widened(low, self_of_reached(function));
}

TimeBounds BoundedTimes::arc(Symbols caller, Symbols callee) const {
  Ticks low = 0;
  if (callee.size() > 1 && may_walk()) {
    low = self_behind([&](SymbolIndex from, SymbolIndex to) {
      return from != no_symbol && is_one_of(caller, from) && is_one_of(callee, to);
    });
  } else {
    std::vector<SymbolIndex> entered;
    for (const SymbolIndex symbol : callee) {
      if (is_entered_by(caller, symbol)) entered.push_back(symbol);
    }
    low = self_behind(Symbols(entered));
  }
  return widened(low, std::min(self_of_reached(caller), self_of_reached(callee)));
}

}  // namespace gprof
