#include "server/cli/record/recover_symbols.h"

#include <algorithm>
#include <utility>

namespace gprof::lsp {

ModuleSymbols::ModuleSymbols(const std::vector<LiveModule>& modules) {
  for (const LiveModule& module : modules) build_ids_[module.path] = module.build_id;
}

std::string ModuleSymbols::name_at(const std::string& module_path, Address address) {
  const SymbolTable* table = symbols_of(module_path);
  if (table == nullptr) return "";
  const auto index = table->find(address);
  if (!index) return "";
  const Symbol& symbol = (*table)[*index];
  // Code past the end of a function belongs to no function.
  if (symbol.size == 0 || address - symbol.address >= symbol.size) return "";
  return std::string(symbol.name);
}

const SymbolTable* ModuleSymbols::symbols_of(const std::string& module_path) {
  const auto known = tables_.find(module_path);
  if (known != tables_.end()) return known->second.get();
  std::unique_ptr<const SymbolTable>& table = tables_[module_path];
  const auto build_id = build_ids_.find(module_path);
  if (build_id == build_ids_.end() || build_id->second.empty()) return nullptr;
  auto image = Image::open(module_path);
  if (!image || !std::ranges::equal((*image)->build_id(), build_id->second)) return nullptr;
  auto built = SymbolTable::build(*std::move(image), nullptr, SymbolPolicy::full);
  if (built) table = std::make_unique<const SymbolTable>(*std::move(built));
  return table.get();
}

}  // namespace gprof::lsp
