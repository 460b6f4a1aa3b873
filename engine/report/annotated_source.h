// gprof's annotated source (-A): the program's source files with the counts of their functions and,
// by line (-l), of basic blocks.
//
// Thread contract: reads source files, changes nothing. Errors: a source that cannot be found or
// read costs only that file and becomes a warning.
#pragma once

#include "engine/report/report.h"
#include "engine/report/report_data.h"
#include "engine/report/report_request.h"

namespace gprof {

// Appends to `text` or, for request.separate_files, to beside.files, named after the sources' base
// names. `first_section`: no other report has been printed, not even an empty one.
void append_annotated_sources(const ReportData& data, const ReportRequest& request,
                              bool first_section, TextOutput& text, PrintedBeside& beside);

}  // namespace gprof
