// Reports as virtual documents: which report of which program a URI names, and the engine request
// that produces it.
//
//   gprof-report:/KIND?program=NAME&options=OPTIONS&file=PATH
//
// NAME is LoadedProgram::name; OPTIONS are gprof's options that change a report's content and touch
// no file, separated by spaces, -b by default. FILE is for annotated sources. Plain values. Thread
// contract: pure functions.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "engine/report/report_request.h"
#include "engine/support/expected.h"
#include "server/protocol/extension_requests.h"
#include "server/sources/loaded_program.h"

namespace gprof::lsp {

struct ReportAddress {
  ReportPage page = ReportPage::everything;
  std::optional<std::string> program;  // none: the one that is shown
  std::string options = "-b";
  std::string file;  // empty: every source

  friend bool operator==(const ReportAddress&, const ReportAddress&) = default;
};

// Errors (invalid_argument): the scheme is another one, the kind is unknown; the message names the
// kinds.
[[nodiscard]] Expected<ReportAddress> parse_report_uri(std::string_view uri);
[[nodiscard]] ReportAddress report_address(const ReportParams& params);
[[nodiscard]] std::string report_uri(const ReportAddress& address);
[[nodiscard]] bool is_report_uri(std::string_view uri);

// For exactly the executable and profiles that are shown. Errors (invalid_argument): an option that
// does not exist, or is not for documents; the message lists those that are.
[[nodiscard]] Expected<ReportRequest> report_request(const ReportAddress& address,
                                                     const LoadedProgram& program, bool demangle);

}  // namespace gprof::lsp
