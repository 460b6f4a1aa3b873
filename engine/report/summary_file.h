// gmon.sum (-s): what all profiles of a report hold together, as one file that GNU gprof reads; and
// gmon.sum.gpx, what their sidecars hold together.
//
// Arcs are those of symbols: from the caller's start to the callee's. Counts that one record cannot
// hold are carried by several. Thread contract: pure functions. Errors: those of write_gmon(),
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

// None where no profile has a sidecar; where only some have one, a warning says so.
[[nodiscard]] Expected<std::optional<ReportFile>> make_summary_sidecar(const ProfileInput& input,
                                                                       Warnings& warnings);

}  // namespace gprof
