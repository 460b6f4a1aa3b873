// Functions of libraries that the program called: found by name or where they are called, and their
// callers in the program, from the stacks that were sampled.
//
// Thread contract: pure, except for reading the callers' files through `locations`.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "engine/callgraph/external_callers.h"
#include "server/features/function_locations.h"
#include "server/protocol/graph_answers.h"

namespace gprof::lsp {

// The one with that name as lists show it, "write [libc.so.6]" or "[libc.so.6]", or with its
// linkage name or the demangler's in place of the shown one. None if nothing of it was sampled.
[[nodiscard]] std::optional<ExternalCode> library_function_named(const Snapshot& snapshot,
                                                                 std::string_view name);
// The one whose name is at the position, on a line that was seen calling it; none if it is the
// program's own function, or if calls of libraries were not measured.
[[nodiscard]] std::optional<ExternalCode> library_function_at(const FileView& view,
                                                              Position position);

// One entry per calling line, as call_site_list() makes them; empty if callers are unknown.
// Leaves the program's name and the generation empty.
[[nodiscard]] CallSitesResult library_call_sites(const ExternalCode& function,
                                                 FunctionLocations& locations, bool demangle);

// Finds the callers of several functions of one snapshot, which must outlive it.
class LibraryCallers {
 public:
  explicit LibraryCallers(const Snapshot& snapshot);

  // Empty if the profile has neither stacks nor counted calls.
  [[nodiscard]] ExternalCallers of(const ExternalCode& function);

 private:
  // At most one of them.
  std::optional<ExternalCallerFinder> of_stacks_;
  std::optional<CountedCallerFinder> counted_;
};

// The line of a call; none if its source is not available, or the line is gone or was changed.
[[nodiscard]] std::optional<Location> place_of_call(const ExternalCallSite& site,
                                                    const ExternalCode& function,
                                                    FunctionLocations& locations);

}  // namespace gprof::lsp
