#include "server/export/export_tables.h"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace gprof::lsp {

ExportTables::ExportTables(const Snapshot& snapshot) : snapshot_(snapshot) {
  const CountedTimes* counted = snapshot.measured().counted();
  const MeasuredCalls measured = counted != nullptr
                                     ? measured_calls(snapshot.symbols(), *counted)
                                     : measured_calls(snapshot.symbols(), snapshot.stacks());
  add_counted_functions();
  add_other_code();
  add_measured_functions(measured);
  sort_functions();
  add_counted_arcs();
  add_measured_arcs(measured);
  add_errors();
  sort_arcs();
  for (const ExportFunction& function : functions_) self_ticks_ += function.self;
}

std::uint32_t ExportTables::function_of(const FlameFrame& frame) {
  const auto next = static_cast<std::uint32_t>(functions_.size());
  const auto [known, is_new] = index_.try_emplace(frame, next);
  if (is_new) functions_.emplace_back().frame = frame;
  return known->second;
}

void ExportTables::add_counted_functions() {
  const SymbolTable& symbols = snapshot_.symbols();
  const CallGraph& graph = snapshot_.graph();
  for (SymbolIndex symbol = 0; symbol < symbols.size(); ++symbol) {
    const GraphNode& node = graph.node(symbol);
    // In a part of a profile, calls that others made are there, without counts.
    const bool calls_others =
        std::ranges::any_of(graph.callees(symbol), [&](const ArcIndex callee) {
          const GraphArc& arc = graph.arc(callee);
          return arc.count > 0 || arc.self_share + arc.children_share > 0;
        });
    if (node.calls == 0 && node.self_calls == 0 && !(node.total() > 0) && !calls_others) continue;
    ExportFunction& function = functions_[function_of(flame_frame(symbols, symbol))];
    function.symbols.push_back(symbol);
    function.calls += node.calls;
    function.recursive_calls += node.self_calls;
    function.self += node.self;
    const Symbol& code = symbols[symbol];
    function.kernel +=
        std::min(node.self, snapshot_.profile().kernel().in({code.address, code.end}));
    if (!measured()) function.total += node.total();
    if (function.cycle == 0) function.cycle = node.cycle;
  }
}

// Everything else that was sampled, including the collector, so that no sample is missing.
void ExportTables::add_other_code() {
  const FunctionCosts& profile = snapshot_.profile();
  const auto add = [&](const FlameFrame& frame, Ticks ticks) {
    if (!(ticks > 0)) return;
    ExportFunction& function = functions_[function_of(frame)];
    function.self += ticks;
    function.total += ticks;
  };
  add({FlameFrameKind::unknown, 0}, profile.unattributed_ticks());
  add({FlameFrameKind::collector, 0}, profile.profiler_ticks());
  if (snapshot_.measured().counted() != nullptr)
    return;  // they are among what was counted of calls
  for (const ModuleSamples& module : profile.elsewhere()) {
    add(flame_frame(snapshot_.stacks(), module), module.ticks);
  }
}

void ExportTables::add_measured_functions(const MeasuredCalls& calls) {
  for (const MeasuredFrame& frame : calls.frames) {
    ExportFunction& function = functions_[function_of(frame.frame)];
    // Every sample has been counted; stacks show what other code called.
    if (frame.frame.kind == FlameFrameKind::function) {
      function.total += frame.total;
    } else {
      function.self = std::max(function.self, frame.self);
      function.total = std::max(function.total, frame.total);
    }
    const bool is_new = frame.frame.kind == FlameFrameKind::function && function.symbols.empty();
    if (is_new) function.symbols.push_back(frame.frame.number);
  }
  if (!measured()) return;
  // Samples may have been counted without their stack.
  for (ExportFunction& function : functions_) {
    function.total = std::max(function.total, function.self);
  }
}

void ExportTables::sort_functions() {
  const auto name = [&](const ExportFunction& function) {
    return function.frame.kind == FlameFrameKind::function
               ? snapshot_.symbols()[function.frame.number].name
               : std::string_view();
  };
  std::sort(functions_.begin(), functions_.end(),
            [&](const ExportFunction& a, const ExportFunction& b) {
              if (a.self != b.self) return a.self > b.self;
              if (a.calls != b.calls) return a.calls > b.calls;
              return std::tuple(name(a), a.frame) < std::tuple(name(b), b.frame);
            });
  for (std::uint32_t i = 0; i < functions_.size(); ++i) index_[functions_[i].frame] = i;
}

ExportArc& ExportTables::arc_between(const FlameFrame& caller, const FlameFrame& callee) {
  // Every end of an arc was called, calls, or was sampled, so it has a row.
  const std::pair ends(function_of(caller), function_of(callee));
  const auto next = static_cast<std::uint32_t>(arcs_.size());
  const auto [known, is_new] = arc_index_.try_emplace(ends, next);
  if (is_new) arcs_.push_back({ends.first, ends.second, 0, 0, 0, {}});
  return arcs_[known->second];
}

void ExportTables::add_counted_arcs() {
  const SymbolTable& symbols = snapshot_.symbols();
  for (const GraphArc& counted : snapshot_.graph().arcs()) {
    if (counted.caller == no_symbol || counted.count == 0) continue;
    ExportArc& arc =
        arc_between(flame_frame(symbols, counted.caller), flame_frame(symbols, counted.callee));
    arc.calls += counted.count;
    if (!measured()) arc.ticks += counted.self_share + counted.children_share;
  }
}

void ExportTables::add_measured_arcs(const MeasuredCalls& calls) {
  for (const MeasuredCall& call : calls.calls) {
    ExportArc& arc = arc_between(call.caller, call.callee);
    arc.ticks += call.ticks;
    arc.places = call.places;
  }
}

void ExportTables::add_errors() {
  const FunctionTimes& times = snapshot_.times();
  const FunctionCosts& profile = snapshot_.profile();
  for (ExportFunction& function : functions_) {
    std::sort(function.symbols.begin(), function.symbols.end());
    const bool other_code = function.symbols.empty();
    function.self_error =
        other_code ? profile.error_in_all_code(function.self) : profile.error_of(function.self);
    function.error =
        other_code ? profile.error_in_all_code(function.total) : times.of(function.symbols).error;
  }
  if (measured()) {
    for (ExportArc& arc : arcs_) arc.error = profile.error_in_all_code(arc.ticks);
    return;
  }
  // Callees may share what they call: their errors are added, not their squares.
  const SymbolTable& symbols = snapshot_.symbols();
  for (const GraphArc& counted : snapshot_.graph().arcs()) {
    if (counted.caller == no_symbol || counted.count == 0) continue;
    arc_between(flame_frame(symbols, counted.caller), flame_frame(symbols, counted.callee)).error +=
        times.of(counted).error;
  }
}

void ExportTables::sort_arcs() {
  std::sort(arcs_.begin(), arcs_.end(), [](const ExportArc& a, const ExportArc& b) {
    if (a.caller != b.caller) return a.caller < b.caller;
    if (a.ticks != b.ticks) return a.ticks > b.ticks;
    return a.calls != b.calls ? a.calls > b.calls : a.callee < b.callee;
  });
  arc_index_.clear();
}

std::span<const ExportArc> ExportTables::arcs_of(std::uint32_t caller) const {
  const auto first = std::partition_point(
      arcs_.begin(), arcs_.end(), [&](const ExportArc& arc) { return arc.caller < caller; });
  const auto last = std::partition_point(
      first, arcs_.end(), [&](const ExportArc& arc) { return arc.caller == caller; });
  return {first, last};
}

std::vector<std::uint32_t> ExportTables::by_address() const {
  std::vector<std::uint32_t> order(functions_.size());
  std::iota(order.begin(), order.end(), 0U);
  // Symbols are numbered by address.
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return functions_[a].frame < functions_[b].frame;
  });
  return order;
}

std::vector<FlameFrame> ExportTables::frames() const {
  std::vector<FlameFrame> frames;
  frames.reserve(functions_.size());
  for (const ExportFunction& function : functions_) frames.push_back(function.frame);
  return frames;
}

ExportUnit export_unit(const FunctionCosts& profile) {
  constexpr double microseconds_a_second = 1e6;
  const bool in_seconds = profile.dimension() == "seconds" && profile.ticks_per_second() > 0;
  if (!in_seconds) return {};
  return {microseconds_a_second / profile.ticks_per_second(), "microseconds"};
}

std::string_view basis_name(bool measured) { return measured ? "measured" : "estimated"; }

}  // namespace gprof::lsp
