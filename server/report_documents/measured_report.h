// Reports of recordings that count no calls but have stacks, in the layout of gprof's: the call
// graph with times measured from stacks, and sources with the time of each line. What gprof itself
// prints of them is an error, or nothing.
//
// Thread contract: pure, except for reading sources.
#pragma once

#include <cstddef>

#include "server/report_documents/report_address.h"
#include "server/report_documents/report_text.h"

namespace gprof::lsp {

[[nodiscard]] bool has_measured_times_alone(const LoadedProgram& program);

// Whether the address asks for such a report and the program's recording is one of these. Reports
// with options of their own are gprof's.
[[nodiscard]] bool is_measured_report(const LoadedProgram& program, const ReportAddress& address);

// Without the flat profile, which needs no calls. Ends soon after `max_bytes`, which it then
// exceeds.
[[nodiscard]] ReportText measured_report(const LoadedProgram& program, const ReportAddress& address,
                                         bool demangle, std::size_t max_bytes);

}  // namespace gprof::lsp
