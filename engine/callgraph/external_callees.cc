#include "engine/callgraph/external_callees.h"

#include <algorithm>
#include <map>
#include <string_view>

#include "engine/callgraph/imported_names.h"

namespace gprof {

std::vector<ExternalCallee> external_callees(const SymbolTable& symbols, const MachineCode& code,
                                             const StackSamples& stacks,
                                             std::span<const ExternalCall> calls) {
  ImportedNames imported(symbols, code);
  std::map<ExternalCode, Ticks> sums;
  for (const ExternalCall& call : calls) {
    ExternalCode callee = stacks.external_code(call.module);
    const std::string_view name = imported.at(call.call, callee.module);
    if (!name.empty()) callee.function = name;
    sums[callee] += call.ticks;
  }
  std::vector<ExternalCallee> callees;
  callees.reserve(sums.size());
  for (const auto& [callee, ticks] : sums) callees.push_back({callee, ticks});
  std::stable_sort(
      callees.begin(), callees.end(),
      [](const ExternalCallee& a, const ExternalCallee& b) { return a.ticks > b.ticks; });
  return callees;
}

}  // namespace gprof
