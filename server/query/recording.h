// The tool record: runs a program under `gprof-lsp record`, for a client that may.
//
// Thread contract: any thread, which waits for the program's end; the program ends with it. Errors:
// invalid_argument, which names the argument, also where the program may not be run; those of
// starting it.
#pragma once

#include <atomic>
#include <filesystem>
#include <vector>

#include "server/protocol/tool_answers.h"
#include "server/protocol/tool_arguments.h"
#include "server/query/workspace_paths.h"

namespace gprof::lsp {

// What may be run; by default nothing.
struct RecordPermission {
  bool anything = false;                             // the user's own command line
  bool in_workspace = false;                         // any program that lies in the workspace
  std::vector<std::filesystem::path> programs = {};  // absolute

  [[nodiscard]] bool none() const { return !anything && !in_workspace && programs.empty(); }
};

[[nodiscard]] Expected<RecordAnswer> answer_record(const RecordArguments& arguments,
                                                   const WorkspacePaths& paths,
                                                   const RecordPermission& permission,
                                                   const std::atomic<bool>& cancelled);

}  // namespace gprof::lsp
