// The reports of gprof: one request in, the bytes of its output out.
//
// Thread contract: may run on any thread, several at once. Errors: whatever makes gprof stop before
// it prints; then there is no output at all. What can be lived with is among the warnings.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/report/report_request.h"
#include "engine/report/text_output.h"
#include "engine/support/expected.h"

namespace gprof {

// To be written by the caller: gmon.sum, its sidecar, or an annotated source (-y).
struct ReportFile {
  std::string path;
  std::string contents;
};

// What comes of printing beside the text. Of an annotated source that cannot be written, gprof says
// so and goes on.
struct PrintedBeside {
  std::vector<ReportFile> files;
  Warnings warnings;
};

// A report that is ready to be printed: everything is read and joined. Its text, which is many
// times larger than what it is made of, comes in pieces.
//
// Ownership: owns everything but the request, which must outlive it. Thread contract: immutable.
class Report {
 public:
  static Expected<Report> prepare(const ReportRequest& request);
  ~Report();
  Report(Report&&) noexcept;
  Report& operator=(Report&&) noexcept;
  Report(const Report&) = delete;
  Report& operator=(const Report&) = delete;

  [[nodiscard]] const Warnings& warnings() const;
  // To be written in this order before anything is printed: without them there is no report.
  [[nodiscard]] const std::vector<ReportFile>& summary_files() const;
  // Data that a report needs is missing. As with gprof, the text that there is stands.
  [[nodiscard]] const std::optional<Error>& failure() const;

  [[nodiscard]] PrintedBeside print(TextSink sink) const;

 private:
  struct Contents;
  explicit Report(std::unique_ptr<Contents> contents);

  std::unique_ptr<Contents> contents_;
};

// A report as a whole, printed into a string.
struct ReportOutput {
  std::string text;
  std::vector<ReportFile> files;
  Warnings warnings;
  std::optional<Error> failure;
};

[[nodiscard]] Expected<ReportOutput> make_report(const ReportRequest& request);

}  // namespace gprof
