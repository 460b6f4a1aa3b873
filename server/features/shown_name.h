// The names of a program's functions as the editor shows them: as their authors wrote them. Exports
// and gprof's reports have the demangler's.
//
// Thread contract: any thread.
#pragma once

#include <string>

#include "engine/analysis/stack_samples.h"
#include "engine/source/file_costs.h"
#include "engine/source/program_sources.h"

namespace gprof::lsp {

// The name without Rust's trait, "a::Circle::area"; the signature has it.
[[nodiscard]] DemangledName shown_name(const ProgramSources& sources, SymbolIndex symbol);
// The same of a name that was already demangled.
[[nodiscard]] DemangledName shown_name(const DemangledName& demangled);
// Of a function of a source: with its scopes, without template arguments and parameters.
[[nodiscard]] std::string shown_name(const ProgramSources& sources, const FunctionCost& function);
// A library's function with the library's name, "write [libc.so.6]"; "[libc.so.6]" if the function
// is unknown. Well-formed UTF-8.
[[nodiscard]] std::string shown_name(const ExternalCode& code, bool demangle);

}  // namespace gprof::lsp
