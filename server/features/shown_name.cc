#include "server/features/shown_name.h"

#include "engine/object/demangle.h"
#include "server/text/source_names.h"

namespace gprof::lsp {

DemangledName shown_name(const ProgramSources& sources, SymbolIndex symbol) {
  const DemangledName name = sources.name(symbol);
  return {as_written(without_trait(name.name)), as_written(name.signature)};
}

std::string shown_name(const ProgramSources& sources, const FunctionCost& function) {
  // Rust's debug information names blocks of methods by numbers.
  const bool is_numbered = function.name.find("{impl#") != std::string::npos;
  if (!is_numbered || function.symbols.empty()) return as_written(function.name);
  const std::string name = shown_name(sources, function.symbols.front()).name;
  return without_template_arguments(name.substr(0, name.find(" [.")));
}

}  // namespace gprof::lsp
