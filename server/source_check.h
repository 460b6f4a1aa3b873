// How many of a program's sources are here, and still those that were compiled.
//
// Thread contract: any thread; reads the files.
#pragma once

#include <cstddef>

#include "server/programs/loaded_program.h"

namespace gprof::lsp {

struct SourceCheck {
  std::size_t in_step = 0;
  std::size_t changed = 0;  // the text that was compiled is known, and is another one
  std::size_t unknown = 0;  // changed, and the text that was compiled is not known
  std::size_t missing = 0;
  std::size_t elsewhere = 0;  // outside of the workspace: libraries' headers and the like
};

// Precondition: the program has texts.
[[nodiscard]] SourceCheck check_sources(
    const LoadedProgram& program, const std::vector<std::filesystem::path>& workspace_folders);

}  // namespace gprof::lsp
