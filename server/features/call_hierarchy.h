// textDocument/prepareCallHierarchy, callHierarchy/incomingCalls and outgoingCalls, and the
// locations behind the commands "show callers" and "show callees".
//
// Neighbours whose source is not here cannot be items; the hover names them. Pure, but for reading
// the neighbours' files through `open_view`.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "server/features/file_view.h"

namespace gprof::lsp {

// The view of another file of the same program; none where its source is not here.
using OpenView = std::function<std::optional<FileView>(FileId)>;

// A function of a file, found again from the data of an item.
struct HierarchyFunction {
  FileView view;
  const FunctionCost* function = nullptr;  // kept alive by view.costs
};

// The function that a symbol is code of. None where its source is not here.
[[nodiscard]] std::optional<HierarchyFunction> function_of_symbol(const SourceIndex& sources,
                                                                  SymbolIndex symbol,
                                                                  const OpenView& open_view);

// The function that is called at the position where its name stands there, else the one whose
// definition holds the position. None where there is no profiled function.
[[nodiscard]] std::optional<HierarchyFunction> function_at(const FileView& view, Position position,
                                                           const OpenView& open_view);

[[nodiscard]] std::optional<CallHierarchyItem> hierarchy_item(const FileView& view,
                                                              const FunctionCost& function);
// None where the item is of another program or of a build that has no such function.
[[nodiscard]] std::optional<HierarchyFunction> function_of_item(const LoadedProgram& program,
                                                                const CallHierarchyItem& item,
                                                                const OpenView& open_view);

// Most time first. `from_ranges` are the lines of the profiled call sites.
[[nodiscard]] std::vector<CallHierarchyIncomingCall> incoming_calls(const HierarchyFunction& callee,
                                                                    const OpenView& open_view);
[[nodiscard]] std::vector<CallHierarchyOutgoingCall> outgoing_calls(const HierarchyFunction& caller,
                                                                    const OpenView& open_view);

// Call sites of the callers, or the definitions of the callees; hottest first.
[[nodiscard]] std::vector<Location> caller_locations(const HierarchyFunction& callee,
                                                     const OpenView& open_view);
[[nodiscard]] std::vector<Location> callee_locations(const HierarchyFunction& caller,
                                                     const OpenView& open_view);

}  // namespace gprof::lsp
