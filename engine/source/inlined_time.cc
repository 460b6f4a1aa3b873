#include "engine/source/inlined_time.h"

#include <algorithm>

namespace gprof {
namespace {

std::vector<InlinedStep> chain_of(const UnitFunctions& functions, std::uint32_t innermost) {
  std::vector<InlinedStep> chain;
  for (std::optional<std::uint32_t> index = innermost; index;) {
    const InlinedCall& call = functions.inlined_calls[*index];
    const std::uint32_t caller =
        call.parent ? functions.inlined_calls[*call.parent].callee : call.container;
    chain.push_back({functions.subprograms[call.callee].name,
                     functions.subprograms[caller].name,
                     {call.call_site.file, call.call_site.line}});
    index = call.parent;
  }
  return chain;
}

}  // namespace

void InlinedTimes::add_extent(const UnitLines& unit, const LineExtent& extent, Ticks ticks) {
  const auto innermost = unit.inlined_call_at(extent.range.low);
  if (innermost) copies_[extent.line][chain_of(unit.functions(), *innermost)] += ticks;
}

void InlinedTimes::add_calls(const UnitLines& unit) {
  const UnitFunctions& functions = unit.functions();
  for (const InlinedCall& call : functions.inlined_calls) {
    // What is inlined into inlined code is part of it.
    if (call.parent || call.call_site.file != file_ || call.call_site.line == 0) continue;
    Ticks ticks = 0;
    for (const AddressRange& range : call.ranges) ticks += samples_.in(range);
    if (!(ticks > 0)) continue;
    calls_[call.call_site.line][functions.subprograms[call.callee].name] += ticks;
  }
}

std::map<LineNumber, LineInlining> InlinedTimes::take() {
  std::map<LineNumber, LineInlining> lines;
  const auto by_time = [](const auto& a, const auto& b) { return a.self > b.self; };
  for (auto& [line, copies] : copies_) {
    LineInlining& inlining = lines[line];
    for (auto& [chain, self] : copies) {
      inlining.self += self;
      inlining.copies.push_back({self, chain});
    }
    std::stable_sort(inlining.copies.begin(), inlining.copies.end(), by_time);
    if (inlining.copies.size() > LineInlining::most_copies) {
      inlining.copies.resize(LineInlining::most_copies);
    }
  }
  for (auto& [line, calls] : calls_) {
    LineInlining& inlining = lines[line];
    for (auto& [callee, self] : calls) {
      inlining.here += self;
      inlining.calls.push_back({callee, self});
    }
    std::stable_sort(inlining.calls.begin(), inlining.calls.end(), by_time);
  }
  return lines;
}

}  // namespace gprof
