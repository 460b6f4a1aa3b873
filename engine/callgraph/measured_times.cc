#include "engine/callgraph/measured_times.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <optional>
#include <utility>

#include "engine/callgraph/calls_on_stack.h"

namespace gprof {
namespace {

bool holds(std::span<const SymbolIndex> function, SymbolIndex symbol) {
  return std::find(function.begin(), function.end(), symbol) != function.end();
}

// Whether the search for the next function ends: it is found, or unknowable.
bool ends_search(const StackFrame& frame) {
  return frame.symbol != no_symbol || frame.module == StackFrame::left_out;
}

// The place of the call by which the stack left the module's own code, never to come back; none if
// it did not, or frames are missing there.
std::optional<std::size_t> external_caller(const SampledStack& stack) {
  if (stack.frames.front().module == StackSamples::own_module) return std::nullopt;
  const auto own = std::find_if(stack.frames.begin(), stack.frames.end(), ends_search);
  if (own == stack.frames.end() || own->symbol == no_symbol) return std::nullopt;
  return static_cast<std::size_t>(own - stack.frames.begin());
}

class ExternalCallSums {
 public:
  // `caller`: of the stack's frames.
  void add(const SampledStack& stack, std::size_t caller) {
    sums_[{stack.frames[caller].place, stack.frames[caller - 1].module}] += stack.count;
  }
  // Most time first.
  [[nodiscard]] std::vector<ExternalCall> calls() const {
    std::vector<ExternalCall> calls;
    for (const auto& [call, ticks] : sums_) {
      if (ticks > 0) calls.push_back({call.first, call.second, ticks});
    }
    std::stable_sort(calls.begin(), calls.end(), [](const ExternalCall& a, const ExternalCall& b) {
      return a.ticks > b.ticks;
    });
    return calls;
  }

 private:
  std::map<std::pair<Address, std::uint32_t>, Ticks> sums_;
};

// An arc's time, counting each sample once.
struct ArcSum {
  Ticks ticks = 0;
  Ticks self = 0;
  std::uint32_t last_stack = no_stack;
  bool last_was_self = false;

  static constexpr std::uint32_t no_stack = 0xffffffff;

  void add(std::uint32_t stack, Ticks count, bool own_code) {
    if (stack != last_stack) ticks += count;
    if (own_code && (stack != last_stack || !last_was_self)) self += count;
    last_was_self = own_code || (stack == last_stack && last_was_self);
    last_stack = stack;
  }
};

}  // namespace

Ticks MeasuredTimes::unseen(std::span<const SymbolIndex> /*function*/) const { return 0; }

Ticks MeasuredTimes::external_below(std::span<const SymbolIndex> /*function*/) const { return 0; }

std::vector<ExternalCall> MeasuredTimes::external_calls(
    std::span<const SymbolIndex> /*function*/) const {
  return {};
}

std::vector<ExternalCall> MeasuredTimes::external_calls_at(
    std::span<const AddressRange> /*ranges*/) const {
  return {};
}

Ticks MeasuredTimes::external_total(std::uint32_t /*module*/) const { return 0; }

Ticks MeasuredTimes::at(std::span<const AddressRange> /*ranges*/) const { return 0; }

Ticks MeasuredTimes::calls_at(std::span<const AddressRange> /*ranges*/,
                              SymbolIndex /*callee*/) const {
  return 0;
}

std::vector<SymbolIndex> MeasuredTimes::callees_at(std::span<const AddressRange> /*ranges*/) const {
  return {};
}

std::vector<Address> MeasuredTimes::places_of(SymbolIndex /*caller*/,
                                              SymbolIndex /*callee*/) const {
  return {};
}

Ticks MeasuredTimes::total_of_parts(std::span<const SymbolIndex> /*function*/) const { return 0; }

MeasuredTimes::Neighbours MeasuredTimes::neighbours(std::span<const SymbolIndex> /*function*/,
                                                    bool /*want_callers*/) const {
  return {};
}

Ticks MeasuredTimes::arc(SymbolIndex caller, SymbolIndex callee) const {
  const std::pair wanted(caller, callee);
  const auto found = std::partition_point(arcs_.begin(), arcs_.end(), [&](const MeasuredArc& arc) {
    return std::pair(arc.caller, arc.callee) < wanted;
  });
  const bool is_there = found != arcs_.end() && found->caller == caller && found->callee == callee;
  return is_there ? found->ticks : 0;
}

std::vector<MeasuredArc> MeasuredTimes::callers(std::span<const SymbolIndex> function) const {
  return sorted_neighbours(function, true);
}

std::vector<MeasuredArc> MeasuredTimes::callees(std::span<const SymbolIndex> function) const {
  return sorted_neighbours(function, false);
}

std::vector<MeasuredArc> MeasuredTimes::sorted_neighbours(std::span<const SymbolIndex> function,
                                                          bool want_callers) const {
  std::vector<MeasuredArc> arcs;
  if (function.empty()) return arcs;
  const SymbolIndex own = function.front();
  for (const auto& [other, time] : neighbours(function, want_callers)) {
    arcs.push_back({want_callers ? other : own, want_callers ? own : other, time.ticks, time.self});
  }
  std::stable_sort(arcs.begin(), arcs.end(),
                   [](const MeasuredArc& a, const MeasuredArc& b) { return a.ticks > b.ticks; });
  return arcs;
}

StackTimes::StackTimes(const StackSamples& stacks, std::size_t symbol_count, const StackTimes* like)
    : stacks_(stacks),
      index_(like != nullptr ? like->index_
                             : std::make_shared<const StackIndex>(stacks, symbol_count)) {
  add_totals(symbol_count);
  add_external_totals();
  add_arcs();
}

void StackTimes::add_totals(std::size_t symbol_count) {
  totals_.resize(symbol_count);
  of_incomplete_.resize(symbol_count);
  for (std::size_t i = 0; i < stacks_.size(); ++i) {
    if (stacks_[i].incomplete) incomplete_ += stacks_[i].count;
  }
  for (SymbolIndex symbol = 0; symbol < symbol_count; ++symbol) {
    for (std::uint32_t i = index_->first[symbol]; i < index_->first[symbol + 1]; ++i) {
      const SampledStack stack = stacks_[index_->of_symbol[i]];
      totals_[symbol] += stack.count;
      if (stack.incomplete) of_incomplete_[symbol] += stack.count;
    }
  }
}

void StackTimes::add_external_totals() {
  external_totals_.resize(stacks_.external_code_count());
  std::vector<std::uint32_t> last_stack(external_totals_.size());
  for (std::uint32_t i = 0; i < stacks_.size(); ++i) {
    for (const StackFrame& frame : stacks_[i].frames) {
      const bool external =
          frame.module != StackSamples::own_module && frame.module != StackFrame::left_out;
      if (!external || last_stack[frame.module] == i + 1) continue;
      last_stack[frame.module] = i + 1;
      external_totals_[frame.module] += stacks_[i].count;
    }
  }
}

void StackTimes::add_arcs() {
  arcs_.reserve(index_->arcs.size());
  std::size_t at = 0;
  for (const StackIndex::Arc& ends : index_->arcs) {
    MeasuredArc arc{ends.caller, ends.callee, 0, 0};
    for (; at < ends.end; ++at) {
      const StackIndex::ArcStack with = index_->arc_stacks[at];
      const Ticks count = stacks_[with.stack].count;
      arc.ticks += count;
      if (with.self != 0) arc.self += count;
    }
    if (arc.ticks > 0) arcs_.push_back(arc);
  }
}

Ticks StackTimes::count_once(std::vector<std::uint32_t> stacks) const {
  std::sort(stacks.begin(), stacks.end());
  stacks.erase(std::unique(stacks.begin(), stacks.end()), stacks.end());
  Ticks ticks = 0;
  for (const std::uint32_t stack : stacks) ticks += stacks_[stack].count;
  return ticks;
}

std::vector<std::uint32_t> StackTimes::stacks_with(std::span<const SymbolIndex> function) const {
  std::vector<std::uint32_t> stacks;
  for (const SymbolIndex symbol : function) {
    if (symbol >= totals_.size()) continue;
    stacks.insert(stacks.end(), index_->of_symbol.begin() + index_->first[symbol],
                  index_->of_symbol.begin() + index_->first[symbol + 1]);
  }
  if (function.size() < 2) return stacks;
  std::sort(stacks.begin(), stacks.end());
  stacks.erase(std::unique(stacks.begin(), stacks.end()), stacks.end());
  return stacks;
}

std::span<const StackIndex::Frame> StackTimes::frames_in(AddressRange range) const {
  const auto before = [](const StackIndex::Frame& frame, Address address) {
    return frame.place < address;
  };
  const auto& frames = index_->frames;
  const auto low = std::lower_bound(frames.begin(), frames.end(), range.low, before);
  const auto high = std::lower_bound(low, frames.end(), std::max(range.low, range.high), before);
  return {low, high};
}

Ticks StackTimes::total_of_parts(std::span<const SymbolIndex> function) const {
  return count_once(stacks_with(function));
}

Ticks StackTimes::unseen(std::span<const SymbolIndex> function) const {
  if (!(incomplete_ > 0)) return 0;
  Ticks seen = 0;
  if (function.size() == 1) {
    seen = function.front() < of_incomplete_.size() ? of_incomplete_[function.front()] : 0;
  } else {
    for (const std::uint32_t index : stacks_with(function)) {
      const SampledStack stack = stacks_[index];
      if (stack.incomplete) seen += stack.count;
    }
  }
  return std::max(0.0, incomplete_ - seen);
}

Ticks StackTimes::external_below(std::span<const SymbolIndex> function) const {
  Ticks ticks = 0;
  for (const std::uint32_t index : stacks_with(function)) {
    const SampledStack stack = stacks_[index];
    const auto caller = external_caller(stack);
    if (caller && holds(function, stack.frames[*caller].symbol)) ticks += stack.count;
  }
  return ticks;
}

std::vector<ExternalCall> StackTimes::external_calls(std::span<const SymbolIndex> function) const {
  ExternalCallSums sums;
  for (const std::uint32_t index : stacks_with(function)) {
    const SampledStack stack = stacks_[index];
    const auto caller = external_caller(stack);
    if (caller && holds(function, stack.frames[*caller].symbol)) sums.add(stack, *caller);
  }
  return sums.calls();
}

std::vector<ExternalCall> StackTimes::external_calls_at(
    std::span<const AddressRange> ranges) const {
  ExternalCallSums sums;
  std::vector<std::uint32_t> seen;
  for (const AddressRange range : ranges) {
    for (const StackIndex::Frame& frame : frames_in(range)) {
      const SampledStack stack = stacks_[frame.stack];
      if (external_caller(stack) == frame.position) seen.push_back(frame.stack);
    }
  }
  // Ranges may overlap.
  std::sort(seen.begin(), seen.end());
  seen.erase(std::unique(seen.begin(), seen.end()), seen.end());
  for (const std::uint32_t index : seen) sums.add(stacks_[index], *external_caller(stacks_[index]));
  return sums.calls();
}

MeasuredTimes::Neighbours StackTimes::neighbours(std::span<const SymbolIndex> function,
                                                 bool want_callers) const {
  std::map<SymbolIndex, ArcSum> sums;
  for (const std::uint32_t index : stacks_with(function)) {
    const SampledStack stack = stacks_[index];
    for_each_call(stack, [&](SymbolIndex caller, SymbolIndex callee, bool own_code) {
      const SymbolIndex other = want_callers ? caller : callee;
      if (!holds(function, want_callers ? callee : caller) || holds(function, other)) return;
      sums[other].add(index, stack.count, own_code);
    });
  }
  Neighbours found;
  for (const auto& [other, sum] : sums) {
    if (sum.ticks > 0) found[other] = {sum.ticks, sum.self};
  }
  return found;
}

Ticks StackTimes::at(std::span<const AddressRange> ranges) const {
  std::vector<std::uint32_t> stacks;
  for (const AddressRange range : ranges) {
    for (const StackIndex::Frame& frame : frames_in(range)) stacks.push_back(frame.stack);
  }
  return count_once(std::move(stacks));
}

Ticks StackTimes::calls_at(std::span<const AddressRange> ranges, SymbolIndex callee) const {
  std::vector<std::uint32_t> stacks;
  for (const AddressRange range : ranges) {
    for (const StackIndex::Frame& frame : frames_in(range)) {
      if (called_by(frame) == callee) stacks.push_back(frame.stack);
    }
  }
  return count_once(std::move(stacks));
}

// The function that the frame's code called, by way of other modules too; no_symbol: none, or it is
// not known.
SymbolIndex StackTimes::called_by(const StackIndex::Frame& frame) const {
  const auto inner = stacks_[frame.stack].frames.first(frame.position);
  const auto next = std::find_if(inner.rbegin(), inner.rend(), ends_search);
  return next == inner.rend() ? no_symbol : next->symbol;
}

std::vector<SymbolIndex> StackTimes::callees_at(std::span<const AddressRange> ranges) const {
  std::vector<SymbolIndex> callees;
  for (const AddressRange range : ranges) {
    for (const StackIndex::Frame& frame : frames_in(range)) {
      if (!(stacks_[frame.stack].count > 0)) continue;
      const SymbolIndex callee = called_by(frame);
      if (callee != no_symbol && callee < totals_.size()) callees.push_back(callee);
    }
  }
  std::sort(callees.begin(), callees.end());
  callees.erase(std::unique(callees.begin(), callees.end()), callees.end());
  return callees;
}

std::vector<Address> StackTimes::places_of(SymbolIndex caller, SymbolIndex callee) const {
  const std::pair wanted(caller, callee);
  const auto& arcs = index_->arcs;
  const auto arc = std::partition_point(arcs.begin(), arcs.end(), [&](const StackIndex::Arc& one) {
    return std::pair(one.caller, one.callee) < wanted;
  });
  if (arc == arcs.end() || std::pair(arc->caller, arc->callee) != wanted) return {};
  std::vector<Address> places;
  for (std::size_t i = arc == arcs.begin() ? 0 : std::prev(arc)->end; i < arc->end; ++i) {
    const SampledStack stack = stacks_[index_->arc_stacks[i].stack];
    if (!(stack.count > 0)) continue;
    SymbolIndex inner = no_symbol;
    for (const StackFrame& frame : stack.frames) {
      if (!ends_search(frame)) continue;
      const bool is_call = frame.symbol == caller && inner == callee;
      if (is_call && frame.symbol != no_symbol) places.push_back(frame.place);
      inner = frame.symbol;
    }
  }
  std::sort(places.begin(), places.end());
  places.erase(std::unique(places.begin(), places.end()), places.end());
  return places;
}

CountedTimes::CountedTimes(const InclusiveCosts& costs, const StackSamples& stacks,
                           std::size_t symbol_count)
    : costs_(costs) {
  totals_.resize(symbol_count);
  for (const auto& [symbol, ticks] : costs.totals) {
    if (symbol < symbol_count) totals_[symbol] = ticks;
  }
  add_arcs();
  add_external_costs(stacks);
}

void CountedTimes::add_external_costs(const StackSamples& stacks) {
  if (costs_.functions == nullptr) return;
  for (const ExternalCode& function : costs_.functions->codes()) {
    external_numbers_.push_back(stacks.find({function.module, function.function}));
  }
  for (const auto& [index, cost] : costs_.external_costs) {
    const auto number = external_numbers_[index];
    // Where functions call each other in circles, the tool counts costs several times.
    if (number) external_costs_[*number] = {cost.self, std::min(cost.total, whole_)};
  }
}

std::optional<std::uint32_t> CountedTimes::external_code(const InclusiveCall& call) const {
  if (call.callee || call.external >= external_numbers_.size()) return std::nullopt;
  return external_numbers_[call.external];
}

std::vector<ExternalCall> CountedTimes::external_calls(
    std::span<const SymbolIndex> function) const {
  std::vector<ExternalCall> found;
  for (const InclusiveCall& call : calls_) {
    const auto code = external_code(call);
    if (code && holds(function, call.caller)) found.push_back({call.place, *code, call.ticks});
  }
  std::ranges::stable_sort(found, std::greater(), &ExternalCall::ticks);
  return found;
}

std::vector<ExternalCall> CountedTimes::external_calls_at(
    std::span<const AddressRange> ranges) const {
  std::vector<ExternalCall> found;
  for (const AddressRange range : ranges) {
    for (const InclusiveCall& call : calls_in(range)) {
      if (const auto code = external_code(call)) {
        found.push_back({call.place, *code, call.ticks});
      }
    }
  }
  std::ranges::stable_sort(found, std::greater(), &ExternalCall::ticks);
  return found;
}

// Of an arc's cost the callee's own part was not counted: it is taken to be the same of every call.
void CountedTimes::add_arcs() {
  std::map<SymbolIndex, Ticks> called;
  std::map<std::pair<SymbolIndex, SymbolIndex>, Ticks> sums;
  whole_ = costs_.external;
  for (const auto& [place, ticks] : costs_.self) whole_ += ticks;
  calls_ = costs_.calls;
  std::stable_sort(
      calls_.begin(), calls_.end(),
      [](const InclusiveCall& a, const InclusiveCall& b) { return a.place < b.place; });
  for (const InclusiveCall& call : calls_) {
    if (!call.callee) external_calls_[call.caller] += call.ticks;
    if (!call.callee || *call.callee == call.caller) continue;
    sums[{call.caller, *call.callee}] += call.ticks;
    called[call.caller] += call.ticks;
  }
  arcs_.reserve(sums.size());
  for (const auto& [ends, ticks] : sums) {
    const Ticks total = this->total(ends.second);
    const Ticks self = std::max(0.0, total - called[ends.second]);
    const double share = total > 0 ? std::min(1.0, self / total) : 0;
    arcs_.push_back({ends.first, ends.second, ticks, ticks * share});
  }
}

std::span<const InclusiveCall> CountedTimes::calls_in(AddressRange range) const {
  const auto before = [](const InclusiveCall& call, Address place) { return call.place < place; };
  const auto low = std::lower_bound(calls_.begin(), calls_.end(), range.low, before);
  const auto high = std::lower_bound(low, calls_.end(), std::max(range.low, range.high), before);
  return {low, high};
}

Ticks CountedTimes::total_of_parts(std::span<const SymbolIndex> function) const {
  Ticks ticks = 0;
  for (const SymbolIndex symbol : function) ticks += total(symbol);
  // What one part of the function calls another for is in both.
  for (const SymbolIndex caller : function) {
    for (const SymbolIndex callee : function) ticks -= arc(caller, callee);
  }
  return ticks;
}

Ticks CountedTimes::external_below(std::span<const SymbolIndex> function) const {
  Ticks ticks = 0;
  for (const SymbolIndex symbol : function) {
    const auto found = external_calls_.find(symbol);
    if (found != external_calls_.end()) ticks += found->second;
  }
  return ticks;
}

MeasuredTimes::Neighbours CountedTimes::neighbours(std::span<const SymbolIndex> function,
                                                   bool want_callers) const {
  Neighbours found;
  for (const MeasuredArc& arc : arcs_) {
    const SymbolIndex other = want_callers ? arc.caller : arc.callee;
    if (!holds(function, want_callers ? arc.callee : arc.caller) || holds(function, other)) {
      continue;
    }
    found[other].ticks += arc.ticks;
    found[other].self += arc.self;
  }
  return found;
}

Ticks CountedTimes::at(std::span<const AddressRange> ranges) const {
  Ticks ticks = 0;
  for (const AddressRange range : ranges) {
    for (const InclusiveCall& call : calls_in(range)) ticks += call.ticks;
    auto self = costs_.self.lower_bound(range.low);
    for (; self != costs_.self.end() && self->first < range.high; ++self) ticks += self->second;
  }
  return ticks;
}

Ticks CountedTimes::calls_at(std::span<const AddressRange> ranges, SymbolIndex callee) const {
  Ticks ticks = 0;
  for (const AddressRange range : ranges) {
    for (const InclusiveCall& call : calls_in(range)) {
      if (call.callee == callee) ticks += call.ticks;
    }
  }
  return ticks;
}

bool can_be_measured(const StackSamples& stacks, const InclusiveCosts& costs) {
  return !costs.empty() || stacks.complete();
}

std::unique_ptr<const MeasuredTimes> measured_times(const StackSamples& stacks,
                                                    const InclusiveCosts& costs,
                                                    std::size_t symbol_count,
                                                    const MeasuredTimes* like) {
  if (!costs.empty()) return std::make_unique<CountedTimes>(costs, stacks, symbol_count);
  if (stacks.complete()) {
    return std::make_unique<StackTimes>(stacks, symbol_count,
                                        like != nullptr ? like->of_stacks() : nullptr);
  }
  return std::make_unique<MeasuredTimes>();
}

}  // namespace gprof
