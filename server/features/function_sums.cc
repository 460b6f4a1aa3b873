#include "server/features/function_sums.h"

#include <algorithm>
#include <map>

namespace gprof::lsp {

std::vector<FunctionSum> function_sums(const Snapshot& snapshot) {
  const auto symbols = snapshot.symbols().symbols();
  std::map<SymbolIndex, std::vector<SymbolIndex>> clones;
  for (SymbolIndex i = 0; i < symbols.size(); ++i) {
    if (symbols[i].clone_of != i) clones[symbols[i].clone_of].push_back(i);
  }
  std::vector<FunctionSum> sums;
  std::vector<SymbolIndex> members;
  for (SymbolIndex function = 0; function < symbols.size(); ++function) {
    if (symbols[function].clone_of != function) continue;
    members.assign(1, function);
    if (const auto own = clones.find(function); own != clones.end()) {
      members.insert(members.end(), own->second.begin(), own->second.end());
      std::sort(members.begin(), members.end());
    }
    FunctionSum sum{function, 0, 0, snapshot.times().of(members)};
    for (const SymbolIndex member : members) {
      const GraphNode& node = snapshot.graph().node(member);
      // Calling a split-off part of a function's body is not a new call of it.
      if (symbols[member].clone == CloneKind::part) continue;
      sum.calls += node.calls;
      sum.recursive_calls += node.self_calls;
    }
    if (sum.calls + sum.recursive_calls == 0 && !(sum.time.total() > 0)) continue;
    if (members.size() > 1) sum.with_clones = members;
    sums.push_back(std::move(sum));
  }
  return sums;
}

}  // namespace gprof::lsp
