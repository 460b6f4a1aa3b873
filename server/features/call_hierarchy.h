// textDocument/prepareCallHierarchy, callHierarchy/incomingCalls and outgoingCalls, and the
// locations for the commands "show callers" and "show callees".
//
// Neighbours whose source is not available cannot be items; the hover names them. Pure, except for
// reading the neighbours' files through `open_view`.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "server/features/file_view.h"

namespace gprof::lsp {

// The view of another file of the same program; none if its source is not available.
using OpenView = std::function<std::optional<FileView>(FileId)>;

// A function of a file, found again from the data of an item.
struct HierarchyFunction {
  FileView view;
  const FunctionCost* function = nullptr;  // kept alive by view.costs
};

// The function that a symbol belongs to. None if its source is not available.
[[nodiscard]] std::optional<HierarchyFunction> function_of_symbol(const ProgramSources& sources,
                                                                  SymbolIndex symbol,
                                                                  const OpenView& open_view);

// The function whose name in its definition is at the position, else the one that is called there,
// else the one whose definition contains the position: the costliest, if one line defines several.
// None if there is no profiled function. `name`: of one of several that are defined on the line;
// empty, or of none: the position decides.
[[nodiscard]] std::optional<HierarchyFunction> function_at(const FileView& view, Position position,
                                                           const OpenView& open_view,
                                                           std::string_view name = {});

// The other functions of the line if `found` is one of several and the position is not at its name,
// the costliest first. `found` is what function_at() gives for the position. Pointers into
// `view.costs`.
[[nodiscard]] std::vector<const FunctionCost*> others_of_line(const FileView& view,
                                                              Position position,
                                                              const HierarchyFunction& found);

[[nodiscard]] std::optional<CallHierarchyItem> hierarchy_item(const FileView& view,
                                                              const FunctionCost& function);
// That of the function at the position, and of the others of its line that ran.
[[nodiscard]] std::vector<CallHierarchyItem> hierarchy_items(const FileView& view,
                                                             Position position,
                                                             const OpenView& open_view);
// None if the item belongs to another program, or to a build without this function.
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

// File and line, by which locations are ordered where nothing else tells them apart. Valid as long
// as the location.
using LocationOrder = std::pair<std::string_view, std::uint32_t>;
[[nodiscard]] LocationOrder order_of(const Location& location);

}  // namespace gprof::lsp
