// How old files are, for people and for those who judge by it.
//
// Thread contract: pure, but for time_now().
#pragma once

#include <string>

#include "engine/support/input_file.h"

namespace gprof::lsp {

[[nodiscard]] FileTime time_now();
// "3 minutes ago".
[[nodiscard]] std::string age_text(FileTime modified, FileTime now);

}  // namespace gprof::lsp
