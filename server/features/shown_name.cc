#include "server/features/shown_name.h"

#include "engine/object/demangle.h"
#include "server/features/external_names.h"
#include "server/text/source_names.h"
#include "server/text/utf8.h"

namespace gprof::lsp {

DemangledName shown_name(const ProgramSources& sources, SymbolIndex symbol) {
  return shown_name(sources.name(symbol));
}

DemangledName shown_name(const DemangledName& demangled) {
  return {as_written(without_trait(demangled.name)), as_written(demangled.signature)};
}

std::string shown_name(const ProgramSources& sources, const FunctionCost& function) {
  // Rust's debug information names blocks of methods by numbers.
  const bool is_numbered = function.name.find("{impl#") != std::string::npos;
  if (!is_numbered || function.symbols.empty()) return as_written(function.name);
  const std::string name = shown_name(sources, function.symbols.front()).name;
  return without_template_arguments(name.substr(0, name.find(" [.")));
}

std::string shown_name(const ExternalCode& code, bool demangle) {
  return well_formed(as_written(external_name_with_module(code, demangle)));
}

}  // namespace gprof::lsp
