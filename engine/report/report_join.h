// Joins a program and its profiles into what the reports print.
//
// Two ways of counting: GNU gprof's and, with --accurate, the editor's: every function, the calls
// of callers that glibc's rounding hides, and a separate row for samples in code of no function.
//
// Ownership: the result owns everything except the names, which the program's images own. Thread
// contract: pure functions.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "engine/analysis/function_costs.h"
#include "engine/report/names.h"
#include "engine/report/profile_input.h"
#include "engine/report/report_data.h"
#include "engine/report/report_program.h"
#include "engine/report/report_request.h"

namespace gprof {

// Not movable: the bounds of its data borrow the graph, the names borrow the data.
struct JoinedReport {
  JoinedReport() = default;
  ~JoinedReport() = default;
  JoinedReport(const JoinedReport&) = delete;
  JoinedReport& operator=(const JoinedReport&) = delete;

  ReportData data;
  std::optional<ReportNames> names;  // without numbers
  std::vector<SiteArc> arcs;         // counted ones, newest first
  std::vector<SiteArc> static_arcs;  // from the machine code (-c), by address
};

// Takes the symbols out of `program` and, unless the request needs them again, the records out of
// `input`: they are as large as the result.
[[nodiscard]] std::unique_ptr<JoinedReport> join_report(const ReportRequest& request,
                                                        ReportProgram& program,
                                                        ProfileInput& input);

}  // namespace gprof
