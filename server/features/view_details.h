// What a hover says of the part of a profile that is shown, and of what that leaves out.
//
// Thread contract: pure functions.
#pragma once

#include "server/sources/loaded_program.h"
#include "server/text/markup_writer.h"

namespace gprof::lsp {

// Nothing where all of the profile is shown.
void write_view_details(MarkupWriter& out, const LoadedProgram& program);

}  // namespace gprof::lsp
