// Parses the text of a report: where it names functions, files and entries, and which of its lines
// belong together. It reads what GNU gprof prints, in every layout, so that it works on the text in
// an editor as well as on a new one.
//
// Lines start at 0; columns are bytes. Ownership: borrows the text. Thread contract: pure.
// Errors: none; unknown text is skipped.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "engine/support/units.h"
#include "server/documents/line_table.h"
#include "server/features/report_address.h"

namespace gprof::lsp {

struct ReportSpan {
  std::uint32_t line = 0;
  std::size_t begin = 0;
  std::size_t end = 0;

  friend bool operator==(const ReportSpan&, const ReportSpan&) = default;
};

// A function's name, with everything on its line that tells which function of that name is meant.
struct ReportName {
  ReportSpan span;
  std::string_view name;
  std::uint32_t entry = 0;             // of the call graph; 0: not given
  std::string_view note;               // at its end, in parentheses: a file, or part of the name
  std::optional<Address> address;      // within the function
  std::optional<std::uint64_t> calls;  // of the function, without recursive calls
};

// "[12]": refers to an entry of the call graph on another line.
struct ReportReference {
  ReportSpan span;
  std::uint32_t entry = 0;
};

struct ReportFileName {
  ReportSpan span;
  std::string_view path;
  LineNumber line = 0;  // 0: the file as a whole
};

struct ReportFold {
  std::uint32_t first = 0;
  std::uint32_t last = 0;
  bool explanation = false;
};

struct ReportDocument {
  std::vector<ReportName> names;
  std::vector<ReportReference> references;
  std::vector<ReportFileName> files;
  std::vector<ReportFold> folds;                             // by first line
  std::unordered_map<std::uint32_t, std::uint32_t> entries;  // number -> its line
};

[[nodiscard]] ReportDocument parse_report(std::string_view text, const LineTable& lines,
                                          ReportPage page);

}  // namespace gprof::lsp
