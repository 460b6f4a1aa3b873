// gmon.sum (-s): the contents of all profiles of a report, as one file that GNU gprof reads; and
// gmon.sum.gpx, the contents of their sidecars.
//
// Arcs are between symbols: from the caller's start to the callee's. Counts too large for one
// record are split over several. Thread contract: pure functions. Errors: those of write_gmon(),
// SidecarSum and write_sidecar().
#pragma once

#include <optional>

#include "engine/gmon/raw_profile.h"
#include "engine/gmon/reader.h"
#include "engine/report/profile_input.h"
#include "engine/report/report.h"
#include "engine/report/report_join.h"
#include "engine/report/report_request.h"

namespace gprof {

[[nodiscard]] Expected<ReportFile> make_summary_file(const ReportRequest& request,
                                                     const RawProfile& sum,
                                                     const JoinedReport& joined,
                                                     const GmonLayout& layout);

// None if no profile has a sidecar; warns if only some have one.
[[nodiscard]] Expected<std::optional<ReportFile>> make_summary_sidecar(const ProfileInput& input,
                                                                       Warnings& warnings);

}  // namespace gprof
