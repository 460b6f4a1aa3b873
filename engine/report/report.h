// The reports of gprof: one request in, the bytes of its output out.
//
// Thread contract: may run on any thread, several at once. Errors: whatever makes gprof stop before
// it prints; then there is no output at all. What can be lived with is in ReportOutput::warnings.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/report/report_request.h"
#include "engine/support/expected.h"

namespace gprof {

// To be written by the caller: gmon.sum, or an annotated source (-y).
struct ReportFile {
  std::string path;
  std::string contents;
  // Without it there is no report. Of an annotated source that cannot be written, gprof says so and
  // goes on.
  bool required = false;
};

struct ReportOutput {
  std::string text;
  std::vector<ReportFile> files;
  Warnings warnings;
  // Data that a report needs is missing. As with gprof, what was made before stands.
  std::optional<Error> failure;
};

[[nodiscard]] Expected<ReportOutput> make_report(const ReportRequest& request);

}  // namespace gprof
