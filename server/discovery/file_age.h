// Ages of files, as text and for decisions.
//
// Thread contract: pure, except for time_now().
#pragma once

#include <string>

#include "engine/support/input_file.h"

namespace gprof::lsp {

[[nodiscard]] FileTime time_now();
// "3 minutes ago".
[[nodiscard]] std::string age_text(FileTime modified, FileTime now);

}  // namespace gprof::lsp
