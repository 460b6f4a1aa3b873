#include "engine/callgraph/external_callers.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <span>
#include <string_view>
#include <tuple>
#include <utility>

namespace gprof {
namespace {

bool is_of_library(const StackFrame& frame) {
  return frame.module != StackSamples::own_module && frame.module != StackFrame::left_out;
}

// Code of libraries between two frames of the program.
struct Way {
  std::span<const StackFrame> frames;  // innermost first
  const StackFrame* caller = nullptr;  // null: the program did not call it, as far as is known
  ExternalCode called;                 // by the caller
};

}  // namespace

// What the stacks add up to. A stack counts once at each place and for each caller.
class ExternalCallerFinder::Sums {
 public:
  // A stack with the function; whether the sample is in its own code.
  void begin(Ticks count, bool is_self) {
    count_ = count;
    is_self_ = is_self;
    places_.clear();
    callers_.clear();
    found_.total += count;
    if (is_self) found_.self += count;
  }
  void add_call(const StackFrame& caller, const ExternalCode& through) {
    const Place place = {caller.symbol, caller.place, through};
    if (places_.insert(place).second) by_place_[place] += count_;
    if (!callers_.insert(caller.symbol).second) return;
    MeasuredArc& arc = by_caller_[caller.symbol];
    arc.caller = caller.symbol;
    arc.ticks += count_;
    if (is_self_) arc.self += count_;
  }

  [[nodiscard]] ExternalCallers take() {
    for (const auto& [place, ticks] : by_place_) {
      const auto& [caller, call, through] = place;
      found_.sites.push_back({caller, call, through, ticks});
    }
    for (const auto& [caller, arc] : by_caller_) found_.arcs.push_back(arc);
    std::ranges::stable_sort(found_.sites, std::ranges::greater(), &ExternalCallSite::ticks);
    std::ranges::stable_sort(found_.arcs, std::ranges::greater(), &MeasuredArc::ticks);
    return std::move(found_);
  }

 private:
  using Place = std::tuple<SymbolIndex, Address, ExternalCode>;

  ExternalCallers found_;
  std::map<Place, Ticks> by_place_;
  std::map<SymbolIndex, MeasuredArc> by_caller_;
  // Of one stack.
  Ticks count_ = 0;
  bool is_self_ = false;
  std::set<Place> places_;
  std::set<SymbolIndex> callers_;
};

ExternalCallerFinder::ExternalCallerFinder(const SymbolTable& symbols, const MachineCode& code,
                                           const StackSamples& stacks)
    : stacks_(stacks), imported_(symbols, code) {
  using Stacks = std::vector<std::uint32_t>;
  // By the number of the code: most frames are found without comparing names.
  std::vector<Stacks*> by_number(stacks.external_code_count(), nullptr);
  for (std::uint32_t i = 0; i < stacks.size(); ++i) {
    const auto add_to = [i](Stacks& with) {
      if (with.empty() || with.back() != i) with.push_back(i);
    };
    for_each_way(stacks[i], [&](const Way& way) {
      for (const StackFrame& frame : way.frames) {
        Stacks*& known = by_number[frame.module];
        if (known == nullptr) known = &stacks_with_[stacks.external_code(frame.module)];
        add_to(*known);
      }
      if (way.caller != nullptr) add_to(stacks_with_[way.called]);
    });
  }
}

ExternalCode ExternalCallerFinder::called_at(const StackFrame& caller,
                                             const ExternalCode& reached) {
  const std::string_view name = imported_.at(caller.place, reached.module);
  return name.empty() ? reached : ExternalCode{reached.module, std::string(name)};
}

template <typename Visit>
void ExternalCallerFinder::for_each_way(const SampledStack& stack, const Visit& visit) {
  const auto& frames = stack.frames;
  for (std::size_t i = 0; i < frames.size(); ++i) {
    const std::size_t first = i;
    while (i < frames.size() && is_of_library(frames[i])) ++i;
    if (i == first) continue;
    Way way{frames.subspan(first, i - first), nullptr, {}};
    // The caller of frames that are left out is not known.
    if (i < frames.size() && frames[i].module != StackFrame::left_out) {
      way.caller = &frames[i];
      way.called = called_at(frames[i], stacks_.external_code(frames[i - 1].module));
    }
    visit(way);
  }
}

ExternalCallers ExternalCallerFinder::callers_of(const ExternalCode& function) {
  Sums sums;
  const auto found = stacks_with_.find(function);
  if (found == stacks_with_.end()) return sums.take();
  for (const std::uint32_t index : found->second) {
    const SampledStack stack = stacks_[index];
    if (!(stack.count > 0)) continue;
    const auto is_wanted = [&](const StackFrame& frame) {
      return stacks_.external_code(frame.module) == function;
    };
    const StackFrame& sampled = stack.frames.front();
    const bool is_self = is_of_library(sampled) && is_wanted(sampled);
    sums.begin(stack.count, is_self);
    for_each_way(stack, [&](const Way& way) {
      const bool is_direct = way.caller != nullptr && way.called == function;
      if (!is_direct && std::ranges::none_of(way.frames, is_wanted)) return;
      if (way.caller == nullptr || way.caller->symbol == no_symbol) return;
      sums.add_call(*way.caller, is_direct ? ExternalCode() : way.called);
    });
  }
  return sums.take();
}

CountedCallerFinder::CountedCallerFinder(const SymbolTable& symbols, const MachineCode& code,
                                         const StackSamples& stacks, const CountedTimes& counted)
    : stacks_(stacks), counted_(counted) {
  ImportedNames imported(symbols, code);
  for (const InclusiveCall& call : counted.calls()) {
    const auto number = counted.external_code(call);
    if (!number) continue;
    ExternalCode reached = stacks.external_code(*number);
    calls_to_[reached].push_back(&call);
    const std::string_view name = imported.at(call.place, reached.module);
    if (name.empty() || name == reached.function) continue;
    reached.function = name;
    calls_to_[reached].push_back(&call);
  }
}

ExternalCallers CountedCallerFinder::callers_of(const ExternalCode& function) const {
  ExternalCallers found;
  Ticks called = 0;
  std::map<SymbolIndex, Ticks> by_caller;
  if (const auto calls = calls_to_.find(function); calls != calls_to_.end()) {
    for (const InclusiveCall* call : calls->second) {
      found.sites.push_back({call->caller, call->place, {}, call->ticks});
      by_caller[call->caller] += call->ticks;
      called += call->ticks;
    }
  }
  for (const auto& [caller, ticks] : by_caller) {
    found.arcs.push_back({caller, no_symbol, ticks, 0});
  }
  std::ranges::stable_sort(found.sites, std::ranges::greater(), &ExternalCallSite::ticks);
  std::ranges::stable_sort(found.arcs, std::ranges::greater(), &MeasuredArc::ticks);
  // A name that is only imported under has no costs itself.
  const auto number = stacks_.find(function);
  const auto cost =
      number ? counted_.external_costs().find(*number) : counted_.external_costs().end();
  found.total = called;
  if (cost != counted_.external_costs().end()) {
    found.total = cost->second.total;
    found.self = cost->second.self;
  }
  return found;
}

}  // namespace gprof
