#include "engine/callgraph/imported_names.h"

#include <utility>

namespace gprof {

std::string_view ImportedNames::at(Address call, std::string_view module) {
  if (module.starts_with("ld-linux")) return {};
  const auto symbol = symbols_.find(call);
  if (!symbol) return {};
  const auto [names, is_new] = by_symbol_.try_emplace(*symbol);
  if (is_new) names->second = names_of(symbols_[*symbol]);
  const auto found = names->second.find(call);
  return found == names->second.end() ? std::string_view() : found->second;
}

ImportedNames::Names ImportedNames::names_of(const Symbol& symbol) const {
  Names names;
  for (CallInstruction& call : code_.calls_in({symbol.address, symbol.end})) {
    if (call.is_jump || call.import_name.empty()) continue;
    names.emplace(call.return_address - 1, std::move(call.import_name));
  }
  return names;
}

}  // namespace gprof
