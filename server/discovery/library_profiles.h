// Shared libraries with profiles of their own: next to a program's profile NAME, each library that
// counts its calls writes NAME.SONAME.
//
// The run's sidecar says which library a file belongs to; without one, the name does. The library
// is looked for among those in the settings, at the sidecar's path, and in the workspace. Thread
// contract: one thread at a time. Errors: a profile whose library is not found is a warning.
#pragma once

#include <filesystem>
#include <functional>
#include <set>
#include <vector>

#include "server/discovery/directory_listings.h"
#include "server/discovery/file_catalog.h"
#include "server/discovery/program_plan.h"

namespace gprof::lsp {

struct LibrarySearch {
  std::vector<std::filesystem::path> named;  // by the settings
  // Binaries of the workspace; called only if needed.
  std::function<const std::set<std::filesystem::path>&()> workspace;
  DirectoryListings& listings;
};

// One planned program per library, with the profiles from the program's shown runs.
[[nodiscard]] std::vector<PlannedProgram> libraries_of(const PlannedProgram& program,
                                                       const LibrarySearch& search,
                                                       FileCatalog& catalog, Warnings& warnings);

}  // namespace gprof::lsp
