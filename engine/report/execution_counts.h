// The execution counts of gprof's -C: how often every function was called and, by line (-l), every
// basic block ran.
//
// Thread contract: a pure function.
#pragma once

#include "engine/report/report_data.h"
#include "engine/report/report_request.h"
#include "engine/report/text_output.h"

namespace gprof {

// Appends one line per symbol or block, by file, line and address. Does not begin a section: the
// form feed before it is the caller's.
void append_execution_counts(const ReportData& data, const ReportRequest& request,
                             TextOutput& text);

}  // namespace gprof
