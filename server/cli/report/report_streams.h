// Profiles that come through pipes: standard input ("-"), and pipes that have a name, as a shell
// gives them to `<(zcat gmon.out.gz)`.
//
// Read is what the user has named. A pipe that lies under the name that is taken for want of any
// may be a stranger's, and nobody may ever write to it.
//
// Thread contract: one thread; waits for the writers. Errors: unreadable; unsupported, of a stream
// without end; those of fault_of_beginning().
#pragma once

#include "engine/support/expected.h"
#include "server/cli/report/report_options.h"

namespace gprof::lsp {

// Fills `options.request.streams`.
[[nodiscard]] Expected<void> read_streams(ReportOptions& options);

}  // namespace gprof::lsp
