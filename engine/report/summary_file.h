// gmon.sum (-s): what all profiles of a report hold together, as one file that GNU gprof reads.
//
// Arcs are those of symbols: from the caller's start to the callee's. Counts that one record cannot
// hold are carried by several. Thread contract: a pure function. Errors: those of write_gmon().
#pragma once

#include "engine/gmon/raw_profile.h"
#include "engine/gmon/reader.h"
#include "engine/report/report.h"
#include "engine/report/report_join.h"
#include "engine/report/report_request.h"

namespace gprof {

[[nodiscard]] Expected<ReportFile> make_summary_file(const ReportRequest& request,
                                                     const RawProfile& sum,
                                                     const JoinedReport& joined,
                                                     const GmonLayout& layout);

}  // namespace gprof
