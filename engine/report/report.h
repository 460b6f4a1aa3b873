// gprof's reports: one request in, the bytes of its output out.
//
// Thread contract: may run on any thread, several at once. Errors: whatever makes gprof stop before
// it prints; there is then no output at all. Tolerable problems become warnings.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/report/report_request.h"
#include "engine/report/text_output.h"
#include "engine/support/expected.h"

namespace gprof {

// The caller writes these: gmon.sum, its sidecar, or an annotated source (-y).
struct ReportFile {
  std::string path;
  std::string contents;
};

// Results of printing besides the text. gprof reports an annotated source that cannot be written
// and continues.
struct PrintedBeside {
  std::vector<ReportFile> files;
  Warnings warnings;
};

// A report ready to be printed: everything is read and joined. Its text, many times larger than its
// data, comes in pieces.
//
// Ownership: owns everything except the request, which must outlive it. Thread contract: immutable.
class Report {
 public:
  static Expected<Report> prepare(const ReportRequest& request);
  ~Report();
  Report(Report&&) noexcept;
  Report& operator=(Report&&) noexcept;
  Report(const Report&) = delete;
  Report& operator=(const Report&) = delete;

  [[nodiscard]] const Warnings& warnings() const;
  // Write these in order before printing anything: without them there is no report.
  [[nodiscard]] const std::vector<ReportFile>& summary_files() const;
  // Set if data that a report needs is missing. As in gprof, the existing text remains valid.
  [[nodiscard]] const std::optional<Error>& failure() const;

  // `ranges`: takes those of the text; null where nobody wants them, which is quicker.
  [[nodiscard]] PrintedBeside print(TextSink sink, ReportRanges* ranges = nullptr) const;

 private:
  struct Contents;
  explicit Report(std::unique_ptr<Contents> contents);

  std::unique_ptr<Contents> contents_;
};

// A complete report, printed into a string.
struct ReportOutput {
  std::string text;
  ReportRanges ranges;
  std::vector<ReportFile> files;
  Warnings warnings;
  std::optional<Error> failure;
};

[[nodiscard]] Expected<ReportOutput> make_report(const ReportRequest& request);

}  // namespace gprof
