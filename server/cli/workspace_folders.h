// The workspace that a command line names, for the commands that answer questions about one.
//
// Thread contract: any thread. Errors: not_found for a folder that is not there; those of reading
// the configuration file.
#pragma once

#include <string>
#include <vector>

#include "server/query/query_workspace.h"
#include "server/session/profile_service.h"

namespace gprof::lsp {

// Without workers. `configuration_file`: empty for none.
[[nodiscard]] Expected<WorkspaceOptions> workspace_of(const std::vector<std::string>& folders,
                                                      const std::string& configuration_file);

// The caches of the user, which all processes share.
[[nodiscard]] SharedPrograms shared_programs();

}  // namespace gprof::lsp
