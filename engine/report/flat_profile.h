// The flat profile (manual, section 5.1; -p).
//
// Thread contract: a pure function.
#pragma once

#include <span>
#include <vector>

#include "engine/report/names.h"
#include "engine/report/report_data.h"
#include "engine/report/report_request.h"
#include "engine/report/text_output.h"

namespace gprof {

// The symbols of its rows: by descending time, then calls, then by name.
[[nodiscard]] std::vector<SymbolIndex> flat_profile_rows(const ReportRequest& request,
                                                         const ReportData& data);

// Appends to `text`, after a form feed unless it is the first report. `rows` are those of
// flat_profile_rows().
void append_flat_profile(TextOutput& text, const ReportRequest& request, const ReportData& data,
                         const ReportNames& names, std::span<const SymbolIndex> rows);

}  // namespace gprof
