// Joins a program and its profiles to what the reports print from.
//
// Two ways of counting: GNU gprof's and, with --accurate, the editor's: every function, the calls
// of a caller that glibc's rounding hides, and a row of its own for samples in code of no function.
//
// Ownership: the result owns everything but the names, which the program's images keep. Thread
// contract: pure functions.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "engine/profile/profile.h"
#include "engine/report/names.h"
#include "engine/report/profile_input.h"
#include "engine/report/report_data.h"
#include "engine/report/report_program.h"
#include "engine/report/report_request.h"

namespace gprof {

// It stays where it was made: the bounds of its data borrow the graph, the names the data.
struct JoinedReport {
  JoinedReport() = default;
  ~JoinedReport() = default;
  JoinedReport(const JoinedReport&) = delete;
  JoinedReport& operator=(const JoinedReport&) = delete;

  ReportData data;
  std::optional<ReportNames> names;  // without numbers
  std::vector<SiteArc> arcs;         // counted ones, newest first
  std::vector<SiteArc> static_arcs;  // of the machine code (-c), by address
};

// Takes the symbols out of `program` and, unless the request needs them again, the records out of
// `input`: they are as large as what is made of them.
[[nodiscard]] std::unique_ptr<JoinedReport> join_report(const ReportRequest& request,
                                                        ReportProgram& program,
                                                        ProfileInput& input);

}  // namespace gprof
