#include "engine/callgraph/uninstrumented_code.h"

#include <algorithm>
#include <string_view>

namespace gprof {
namespace {

// With more functions than this, none is disassembled: any of them may call such code.
constexpr std::size_t most_functions = 5000;

class UninstrumentedCodeFinder {
 public:
  UninstrumentedCodeFinder(const SymbolTable& symbols, const MachineCode& code,
                           const CallGraph& graph)
      : symbols_(symbols), code_(code), graph_(graph) {}

  UninstrumentedCode find();

 private:
  [[nodiscard]] bool ran(SymbolIndex symbol) const;
  [[nodiscard]] bool was_entered(SymbolIndex symbol) const;
  [[nodiscard]] bool counts_calls(SymbolIndex symbol) const {
    const Symbol& function = symbols_[symbol];
    return code_.counts_its_calls({function.address, function.end}).value_or(true);
  }
  [[nodiscard]] bool may_leave(SymbolIndex symbol) const;

  const SymbolTable& symbols_;
  const MachineCode& code_;
  const CallGraph& graph_;
};

bool UninstrumentedCodeFinder::ran(SymbolIndex symbol) const {
  const GraphNode& node = graph_.node(symbol);
  return node.self > 0 || node.calls > 0 || !graph_.callees(symbol).empty();
}

// The program's first function is called once, by nothing that the program called.
bool UninstrumentedCodeFinder::was_entered(SymbolIndex symbol) const {
  if (!ran(symbol) || symbols_[symbol].name == "main") return false;
  const auto callers = graph_.callers(symbol);
  const auto by = [&](bool known) {
    return std::any_of(callers.begin(), callers.end(), [&](ArcIndex index) {
      const GraphArc& arc = graph_.arc(index);
      return arc.count > 0 && arc.caller != symbol && (arc.caller != no_symbol) == known;
    });
  };
  return by(false) || !by(true);
}

// Whether it calls a library function, a function by address, or one that does not count calls.
bool UninstrumentedCodeFinder::may_leave(SymbolIndex symbol) const {
  const Symbol& function = symbols_[symbol];
  if (!code_.knows_architecture()) return true;
  for (const CallInstruction& call : code_.calls_in({function.address, function.end})) {
    if (is_counting_function(call.import_name)) continue;
    if (!call.target) return true;
    const auto target = symbols_.find(*call.target);
    if (!target) return true;
    if (!is_counting_function(symbols_[*target].name) && !counts_calls(*target)) return true;
  }
  return false;
}

UninstrumentedCode UninstrumentedCodeFinder::find() {
  UninstrumentedCode code;
  const auto count = static_cast<SymbolIndex>(symbols_.symbols().size());
  std::vector<SymbolIndex> running;
  bool any = false;
  code.entered.resize(count);
  for (SymbolIndex symbol = 0; symbol < count; ++symbol) {
    if (ran(symbol)) running.push_back(symbol);
    code.entered[symbol] = was_entered(symbol) ? 1 : 0;
    any = any || code.entered[symbol] != 0;
  }
  if (!any) return {};
  code.leaves.assign(count, running.size() > most_functions ? 1 : 0);
  if (running.size() > most_functions) return code;
  for (const SymbolIndex symbol : running) {
    code.leaves[symbol] = may_leave(symbol) ? 1 : 0;
  }
  return code;
}

}  // namespace

UninstrumentedCode find_uninstrumented_code(const SymbolTable& symbols, const MachineCode& code,
                                            const CallGraph& graph) {
  return UninstrumentedCodeFinder(symbols, code, graph).find();
}

}  // namespace gprof
