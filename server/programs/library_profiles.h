// Shared libraries that wrote profiles of their own: beside a program's profile NAME lies
// NAME.SONAME of each library that counts its calls.
//
// Whose a file is, the run's sidecar says; without one, the name does. The library is looked for
// among those that the settings name, where the sidecar says it was, and in the workspace. Thread
// contract: one thread at a time. Errors: a profile whose library is not found is a warning.
#pragma once

#include <filesystem>
#include <functional>
#include <set>
#include <vector>

#include "server/programs/directory_listings.h"
#include "server/programs/file_catalog.h"
#include "server/programs/program_plan.h"

namespace gprof::lsp {

struct LibrarySearch {
  std::vector<std::filesystem::path> named;  // by the settings
  // Binaries of the workspace; called only where it is needed.
  std::function<const std::set<std::filesystem::path>&()> workspace;
  DirectoryListings& listings;
};

// One planned program a library, with the profiles of the program's runs that are shown.
[[nodiscard]] std::vector<PlannedProgram> libraries_of(const PlannedProgram& program,
                                                       const LibrarySearch& search,
                                                       FileCatalog& catalog, Warnings& warnings);

}  // namespace gprof::lsp
