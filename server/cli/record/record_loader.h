// Whether the collector's library can be loaded into the program that `record` starts: by the
// dynamic linker of its file, or of the interpreter that runs it as a script
// (formats/library_fit.h).
//
// Thread contract: reads files; pure otherwise.
#pragma once

#include <filesystem>

#include "formats/library_fit.h"

namespace gprof::lsp {

[[nodiscard]] gprof_formats::LibraryFit library_fit_of_program(const std::filesystem::path& path);

}  // namespace gprof::lsp
