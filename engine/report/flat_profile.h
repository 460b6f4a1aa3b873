// The flat profile (manual, section 5.1; -p).
//
// Thread contract: a pure function.
#pragma once

#include <string>

#include "engine/report/names.h"
#include "engine/report/report_data.h"
#include "engine/report/report_request.h"

namespace gprof {

// Appends to `text`, behind a form feed where it is not the first report.
void append_flat_profile(std::string& text, const ReportRequest& request, const ReportData& data,
                         const ReportNames& names);

}  // namespace gprof
