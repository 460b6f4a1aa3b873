// What `gprof-lsp report` has analysed for it: a part of the profiles, and profiles of other tools.
//
// Thread contract: reads files; pure otherwise.
#pragma once

#include "engine/object/debug_file.h"
#include "engine/support/expected.h"
#include "server/cli/report/report_options.h"

namespace gprof::lsp {

// Adds a view to the request where it asks for a part of the profiles, or where --accurate is to
// report imported ones; else nothing is changed. Its debug files are looked for by `debug_files`,
// and so are the report's then. After read_streams(). Errors: those of analyse() and view_of();
// invalid_argument for a part without --accurate, of a stream, or together with options that are
// about whole gmon files.
[[nodiscard]] Expected<void> add_view(ReportOptions& options, const DebugFileSearch& debug_files);

}  // namespace gprof::lsp
