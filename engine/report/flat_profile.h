// The flat profile (manual, section 5.1; -p).
//
// Thread contract: a pure function.
#pragma once

#include "engine/report/names.h"
#include "engine/report/report_data.h"
#include "engine/report/report_request.h"
#include "engine/report/text_output.h"

namespace gprof {

// Appends to `text`, behind a form feed where it is not the first report.
void append_flat_profile(TextOutput& text, const ReportRequest& request, const ReportData& data,
                         const ReportNames& names);

}  // namespace gprof
