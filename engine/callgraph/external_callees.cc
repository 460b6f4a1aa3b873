#include "engine/callgraph/external_callees.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

namespace gprof {
namespace {

// The dynamic linker runs at the first call of an imported function, to find it.
bool is_dynamic_linker(std::string_view module) { return module.starts_with("ld-linux"); }

// The names under which functions were imported, by the call instruction's last byte.
class ImportedNames {
 public:
  ImportedNames(const SymbolTable& symbols, const MachineCode& code)
      : symbols_(symbols), code_(code) {}

  // Empty if it is not a call of an imported function.
  [[nodiscard]] const std::string& at(Address call) {
    static const std::string unnamed;
    const auto symbol = symbols_.find(call);
    if (!symbol) return unnamed;
    const auto [names, is_new] = by_symbol_.try_emplace(*symbol);
    if (is_new) names->second = names_of(symbols_[*symbol]);
    const auto found = names->second.find(call);
    return found == names->second.end() ? unnamed : found->second;
  }

 private:
  using Names = std::map<Address, std::string>;

  [[nodiscard]] Names names_of(const Symbol& symbol) const {
    Names names;
    for (CallInstruction& call : code_.calls_in({symbol.address, symbol.end})) {
      if (call.is_jump || call.import_name.empty()) continue;
      names.emplace(call.return_address - 1, std::move(call.import_name));
    }
    return names;
  }

  const SymbolTable& symbols_;
  const MachineCode& code_;
  std::map<SymbolIndex, Names> by_symbol_;
};

}  // namespace

std::vector<ExternalCallee> external_callees(const SymbolTable& symbols, const MachineCode& code,
                                             const StackSamples& stacks,
                                             std::span<const ExternalCall> calls) {
  ImportedNames imported(symbols, code);
  std::map<ExternalCode, Ticks> sums;
  for (const ExternalCall& call : calls) {
    ExternalCode callee = stacks.external_code(call.module);
    const std::string& name = imported.at(call.call);
    if (!name.empty() && !is_dynamic_linker(callee.module)) callee.function = name;
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
