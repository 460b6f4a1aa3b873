#include "server/features/cycles.h"

#include <algorithm>
#include <numeric>

#include "server/features/call_graph_around.h"
#include "server/features/cost_text.h"

namespace gprof::lsp {
namespace {

constexpr std::size_t most_cycles = 1'000;
constexpr std::size_t most_members_a_cycle = 500;
constexpr std::size_t most_members = 10'000;

std::vector<CycleNumber> hottest_first(const CallGraph& graph) {
  std::vector<CycleNumber> order(graph.cycle_count());
  std::iota(order.begin(), order.end(), CycleNumber{1});
  std::stable_sort(order.begin(), order.end(), [&](CycleNumber a, CycleNumber b) {
    const Cycle& cycle_a = graph.cycle(a);
    const Cycle& cycle_b = graph.cycle(b);
    const Ticks time_a = cycle_a.self + cycle_a.children;
    const Ticks time_b = cycle_b.self + cycle_b.children;
    return time_a != time_b ? time_a > time_b : cycle_a.calls > cycle_b.calls;
  });
  return order;
}

CycleMember describe_member(SymbolIndex symbol, FunctionLocations& locations, bool demangle) {
  const Snapshot& snapshot = *locations.program().snapshot;
  const GraphNode& node = snapshot.graph().node(symbol);
  CycleMember member;
  member.function = locations.named(symbol, demangle);
  member.calls = node.calls;
  member.recursive_calls = node.self_calls;
  member.self_seconds = snapshot.profile().seconds(node.self);
  member.self_error = snapshot.profile().seconds(snapshot.profile().error_of(node.self));
  return member;
}

CallCycle describe(CycleNumber number, FunctionLocations& locations, std::size_t room,
                   bool demangle) {
  const Snapshot& snapshot = *locations.program().snapshot;
  const FunctionCosts& profile = snapshot.profile();
  const Cycle& cycle = snapshot.graph().cycle(number);
  CallCycle result;
  result.number = number;
  result.calls = cycle.calls;
  result.internal_calls = cycle.internal_calls;
  result.self_seconds = profile.seconds(cycle.self);
  result.child_seconds = profile.seconds(cycle.children);
  std::vector<SymbolIndex> members = cycle.members;
  std::sort(members.begin(), members.end());
  result.total_error = profile.seconds(snapshot.times().of(members).error);
  result.member_count = members.size();
  sort_by_heat(snapshot, members);
  members.resize(std::min({members.size(), most_members_a_cycle, room}));
  for (const SymbolIndex member : members) {
    result.members.push_back(describe_member(member, locations, demangle));
  }
  return result;
}

}  // namespace

CyclesResult cycles_of(FunctionLocations& locations, bool demangle) {
  const Snapshot& snapshot = *locations.program().snapshot;
  CyclesResult result;
  result.unit = snapshot.profile().dimension();
  result.basis = basis_of(snapshot);
  result.total = snapshot.graph().cycle_count();
  std::size_t room = most_members;
  for (const CycleNumber number : hottest_first(snapshot.graph())) {
    if (result.cycles.size() == most_cycles || room == 0) break;
    result.cycles.push_back(describe(number, locations, room, demangle));
    room -= result.cycles.back().members.size();
  }
  return result;
}

}  // namespace gprof::lsp
