// How many of a program's sources are available, and unchanged since they were compiled.
//
// Thread contract: any thread; reads the files.
#pragma once

#include <cstddef>

#include "server/sources/loaded_program.h"

namespace gprof::lsp {

struct SourceCheck {
  std::size_t in_step = 0;
  std::size_t changed = 0;  // changed, and the compiled text is known
  std::size_t unknown = 0;  // changed, and the compiled text is not known
  std::size_t missing = 0;
  std::size_t elsewhere = 0;  // outside the workspace, e.g. library headers
};

// Precondition: the program has texts.
[[nodiscard]] SourceCheck check_sources(
    const LoadedProgram& program, const std::vector<std::filesystem::path>& workspace_folders);

}  // namespace gprof::lsp
