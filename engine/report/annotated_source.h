// gprof's annotated source (-A): the source files of the program with the counts of their functions
// and, line by line (-l), basic blocks beside them.
//
// Thread contract: reads source files, changes nothing. Errors: a source that cannot be found or
// read costs that file alone; it is among the warnings.
#pragma once

#include "engine/report/report.h"
#include "engine/report/report_data.h"
#include "engine/report/report_request.h"

namespace gprof {

// Appends to `text` or, for request.separate_files, to beside.files, named after the sources' base
// names. `first_section` tells that no other report has been printed, be it an empty one.
void append_annotated_sources(const ReportData& data, const ReportRequest& request,
                              bool first_section, TextOutput& text, PrintedBeside& beside);

}  // namespace gprof
