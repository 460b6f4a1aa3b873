// What a report with gprof's estimated times says first if the recording has stacks, and these
// measured something else.
//
// Thread contract: pure functions.
#pragma once

#include <string>

#include "server/report_documents/report_address.h"

namespace gprof::lsp {

// One sentence about the totals that differ by more than three standard deviations and 1 % of the
// program, and an empty line. Empty if there are none, or if the report has no such times.
[[nodiscard]] std::string estimate_note(const LoadedProgram& program, const ReportAddress& address,
                                        bool demangle);

}  // namespace gprof::lsp
