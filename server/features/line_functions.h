// The functions that are defined on one line of the build, as a macro defines many.
//
// A question about such a line, rather than about a name in it, is answered for the costliest of
// them; the others are listed by name. Copies and instances of one definition are one function.
//
// Lines are those of the build. Thread contract: pure functions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "server/features/file_view.h"
#include "server/text/markup_writer.h"

namespace gprof::lsp {

// By self time, then total time, then calls.
[[nodiscard]] bool costs_more(const FunctionCost& a, const FunctionCost& b);
// Whether a call, a time or a caller is known of it.
[[nodiscard]] bool has_run(const FunctionCost& function);

// Every function defined on the line, the costliest first.
[[nodiscard]] std::vector<const FunctionCost*> functions_of_line(const FileView& view,
                                                                 LineNumber line);
// Of those that are defined where `function` is, and reach to `line` as it does, the costliest.
[[nodiscard]] const FunctionCost& costliest_beside(const FileView& view,
                                                   const FunctionCost& function, LineNumber line);
// The function's name with as much of its scope as no other function of the line shares: "get",
// "Circle::area". Functions without names of their own are distinguished by their columns.
[[nodiscard]] std::string name_on_line(const FileView& view, const FunctionCost& function);

// A table of functions that share a line, in the given order; nothing if there are none. Those
// that the profile has no figures of are counted below it.
void write_functions_of_line(MarkupWriter& out, const FileView& view,
                             const std::vector<const FunctionCost*>& functions,
                             std::string_view title);

}  // namespace gprof::lsp
