#include <algorithm>
#include <map>

#include "engine/callgraph/flame_sources.h"

namespace gprof {
namespace {

// A smaller share of an entity's time is a rounding error of summed fractions.
constexpr double rounding_share = 1e-9;

// An entity is a function in no cycle, or a whole cycle.
class PropagationFlames : public FlameSource {
 public:
  PropagationFlames(const FlameTreeParts& parts, std::span<const SymbolIndex> function)
      : parts_(parts), graph_(parts.graph), function_(function) {}

  FlameChild root() override;
  std::vector<FlameChild> children(const FlameChild& node) override;

 private:
  [[nodiscard]] std::vector<FlameChild> roots() const;
  void add_root_symbol(SymbolIndex symbol, std::vector<FlameChild>& roots) const;
  void add_modules(std::vector<FlameChild>& roots) const;
  void add_root_cycle(CycleNumber number, std::vector<FlameChild>& roots) const;
  [[nodiscard]] Ticks taken_by_callers(SymbolIndex symbol) const;
  void add_callees(SymbolIndex symbol, double scale, std::vector<FlameChild>& children) const;
  void add_members(CycleNumber number, double scale, std::vector<FlameChild>& children) const;
  // The function's own time and what callees outside its cycle propagate to it.
  [[nodiscard]] Ticks time_of(SymbolIndex symbol) const;
  [[nodiscard]] Ticks time_of_cycle(CycleNumber number) const;
  [[nodiscard]] FlameChild child_of(SymbolIndex symbol, Ticks time) const;
  [[nodiscard]] bool same_entity(SymbolIndex a, SymbolIndex b) const {
    const CycleNumber cycle = graph_.node(a).cycle;
    return a == b || (cycle != 0 && cycle == graph_.node(b).cycle);
  }

  const FlameTreeParts& parts_;
  const CallGraph& graph_;
  std::span<const SymbolIndex> function_;
};

Ticks share_of(const GraphArc& arc) { return arc.self_share + arc.children_share; }

FlameChild PropagationFlames::root() {
  FlameChild root;
  for (const FlameChild& child : roots()) root.total += child.total;
  return root;
}

std::vector<FlameChild> PropagationFlames::children(const FlameChild& node) {
  std::vector<FlameChild> found;
  if (node.frame.kind == FlameFrameKind::root) return roots();
  if (node.frame.kind == FlameFrameKind::function) {
    const Ticks time = time_of(node.origin);
    if (time > 0) add_callees(node.origin, node.total / time, found);
  } else if (node.frame.kind == FlameFrameKind::cycle) {
    const Ticks time = time_of_cycle(node.frame.number);
    if (time > 0) add_members(node.frame.number, node.total / time, found);
  }
  return found;
}

// Time of an entity that no caller takes starts with the entity.
std::vector<FlameChild> PropagationFlames::roots() const {
  std::vector<FlameChild> roots;
  if (!function_.empty()) {
    for (const SymbolIndex symbol : function_) add_root_symbol(symbol, roots);
    return roots;
  }
  for (SymbolIndex symbol = 0; symbol < parts_.symbols.size(); ++symbol) {
    if (graph_.node(symbol).cycle == 0) add_root_symbol(symbol, roots);
  }
  for (CycleNumber number = 1; number <= graph_.cycle_count(); ++number) {
    add_root_cycle(number, roots);
  }
  const Ticks unknown = parts_.profile.unattributed_ticks();
  if (unknown > 0) roots.push_back({{FlameFrameKind::unknown, 0}, unknown, unknown, 0});
  add_modules(roots);
  return roots;
}

// It is unknown on whose behalf samples in other modules' code ran.
void PropagationFlames::add_modules(std::vector<FlameChild>& roots) const {
  // A profile names as many modules as it likes.
  std::map<FlameFrame, std::size_t> known;
  for (std::size_t i = 0; i < roots.size(); ++i) known.try_emplace(roots[i].frame, i);
  for (const ModuleSamples& module : parts_.profile.elsewhere()) {
    if (module.collector) continue;
    const FlameFrame frame = flame_frame(parts_.stacks, module);
    const auto [place, is_new] = known.try_emplace(frame, roots.size());
    if (is_new) roots.push_back({frame, 0, 0, 0});
    roots[place->second].self += module.ticks;
    roots[place->second].total += module.ticks;
  }
}

void PropagationFlames::add_root_symbol(SymbolIndex symbol, std::vector<FlameChild>& roots) const {
  const Ticks whole = time_of(symbol);
  const Ticks time = whole - taken_by_callers(symbol);
  if (time > rounding_share * whole) roots.push_back(child_of(symbol, time));
}

void PropagationFlames::add_root_cycle(CycleNumber number, std::vector<FlameChild>& roots) const {
  const Ticks whole = time_of_cycle(number);
  Ticks time = whole;
  for (const SymbolIndex member : graph_.cycle(number).members) time -= taken_by_callers(member);
  if (time > rounding_share * whole) {
    roots.push_back({{FlameFrameKind::cycle, number}, 0, time, 0});
  }
}

// If one function is the root: by callers that are part of it.
Ticks PropagationFlames::taken_by_callers(SymbolIndex symbol) const {
  Ticks taken = 0;
  for (const ArcIndex index : graph_.callers(symbol)) {
    const GraphArc& arc = graph_.arc(index);
    if (arc.caller == no_symbol || same_entity(arc.caller, symbol)) continue;
    const bool counts = function_.empty() || std::find(function_.begin(), function_.end(),
                                                       arc.caller) != function_.end();
    if (counts) taken += share_of(arc);
  }
  return taken;
}

void PropagationFlames::add_callees(SymbolIndex symbol, double scale,
                                    std::vector<FlameChild>& children) const {
  std::map<CycleNumber, std::size_t> cycles;  // places among the children
  for (std::size_t i = 0; i < children.size(); ++i) {
    const FlameFrame& frame = children[i].frame;
    if (frame.kind == FlameFrameKind::cycle) cycles.try_emplace(frame.number, i);
  }
  for (const ArcIndex index : graph_.callees(symbol)) {
    const GraphArc& arc = graph_.arc(index);
    const Ticks time = share_of(arc) * scale;
    if (same_entity(symbol, arc.callee) || !(time > 0)) continue;
    const CycleNumber cycle = graph_.node(arc.callee).cycle;
    if (cycle == 0) {
      children.push_back(child_of(arc.callee, time));
      continue;
    }
    // Calls of several members are calls of one entity.
    const auto [place, is_new] = cycles.try_emplace(cycle, children.size());
    if (is_new) children.push_back({{FlameFrameKind::cycle, cycle}, 0, 0, 0});
    children[place->second].total += time;
  }
}

void PropagationFlames::add_members(CycleNumber number, double scale,
                                    std::vector<FlameChild>& children) const {
  for (const SymbolIndex member : graph_.cycle(number).members) {
    const Ticks time = time_of(member) * scale;
    if (time > 0) children.push_back(child_of(member, time));
  }
}

Ticks PropagationFlames::time_of(SymbolIndex symbol) const {
  Ticks time = graph_.node(symbol).self;
  for (const ArcIndex index : graph_.callees(symbol)) {
    const GraphArc& arc = graph_.arc(index);
    if (!same_entity(symbol, arc.callee)) time += share_of(arc);
  }
  return time;
}

Ticks PropagationFlames::time_of_cycle(CycleNumber number) const {
  Ticks time = 0;
  for (const SymbolIndex member : graph_.cycle(number).members) time += time_of(member);
  return time;
}

FlameChild PropagationFlames::child_of(SymbolIndex symbol, Ticks time) const {
  const Ticks whole = time_of(symbol);
  const Ticks self = whole > 0 ? graph_.node(symbol).self * (time / whole) : 0;
  return {flame_frame(parts_.symbols, symbol), std::min(self, time), time, symbol};
}

}  // namespace

std::unique_ptr<FlameSource> flames_of_propagation(const FlameTreeParts& parts,
                                                   std::span<const SymbolIndex> function) {
  return std::make_unique<PropagationFlames>(parts, function);
}

}  // namespace gprof
