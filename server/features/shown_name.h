// The names of a program's functions as the editor shows them: as their authors wrote them. Exports
// and gprof's reports have the demangler's.
//
// Thread contract: any thread.
#pragma once

#include <string>

#include "engine/source/file_costs.h"
#include "engine/source/program_sources.h"

namespace gprof::lsp {

// The name without Rust's trait, "a::Circle::area"; the signature has it.
[[nodiscard]] DemangledName shown_name(const ProgramSources& sources, SymbolIndex symbol);
// Of a function of a source: with its scopes, without template arguments and parameters.
[[nodiscard]] std::string shown_name(const ProgramSources& sources, const FunctionCost& function);

}  // namespace gprof::lsp
