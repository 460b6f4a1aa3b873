// Profiles read from pipes: standard input ("-"), and named pipes, as a shell makes for `<(zcat
// gmon.out.gz)`.
//
// Only pipes that the user named are read. A pipe under the default name may be someone else's, and
// may never be written to.
//
// Thread contract: one thread; waits for the writers. Errors: unreadable; unsupported for an
// endless stream; those of fault_of_beginning().
#pragma once

#include "engine/support/expected.h"
#include "server/cli/report/report_options.h"

namespace gprof::lsp {

// Fills `options.request.streams`.
[[nodiscard]] Expected<void> read_streams(ReportOptions& options);

}  // namespace gprof::lsp
