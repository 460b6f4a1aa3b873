// The program that a question is about, by the metric and of the part that it asks for, and
// functions of it that are named.
//
// Thread contract: within one question.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "server/features/function_locations.h"
#include "server/protocol/tool_arguments.h"
#include "server/query/tool.h"

namespace gprof::lsp {

// Never null. It takes its place among the context's programs. Errors: no_profile_data where none
// is loaded; invalid_argument, which names what there is.
[[nodiscard]] Expected<const LoadedProgram*> asked_program(ToolContext& context,
                                                           const PartArguments& part);
// The same for the program that the context's file was compiled into, unless the question names
// one. Errors: those above, but where no program has the file.
[[nodiscard]] Expected<void> ask_for_part_of_file(ToolContext& context, const PartArguments& part);
// What is asked for of the profile.
[[nodiscard]] Expected<Selection> selection_of(const PartArguments& part);

[[nodiscard]] FunctionLocations locations_in(ToolContext& context, const LoadedProgram& program);

// A function of the program, in all its instances, or of a library.
struct AskedFunction {
  std::vector<SymbolIndex> symbols;      // hottest first; empty if it is of a library
  std::optional<ExternalCode> external;  // of a library
};
// Errors: invalid_argument, which names functions with similar names.
[[nodiscard]] Expected<AskedFunction> asked_function(ToolContext& context,
                                                     const LoadedProgram& program,
                                                     std::string_view name);

// That there is no profile, and why, as far as that is known.
[[nodiscard]] std::string no_profile_text(const ToolContext& context);

// {"function": NAME}
[[nodiscard]] AnyValue about_function(std::string_view name);

}  // namespace gprof::lsp
