// Targets of the names in a report: textDocument/documentLink and textDocument/definition.
//
// Thread contract: pure, except for reading the functions' files through `places`.
#pragma once

#include <optional>
#include <vector>

#include "server/features/function_places.h"
#include "server/features/report_symbols.h"
#include "server/protocol/reports.h"

namespace gprof::lsp {

// One report: its text in an editor, or as it was made.
struct ReportView {
  DocumentUri uri;
  std::string_view text;
  const LineTable& lines;
  const ReportDocument& document;
  const ReportSymbols& symbols;  // of the program that `places` knows
  PositionEncoding encoding = PositionEncoding::utf16;
};

// Maximum links per report: those of its first lines, which have the hottest functions.
inline constexpr std::size_t most_report_links = 10'000;

// Sorted by range.
[[nodiscard]] std::vector<DocumentLink> report_links(const ReportView& report,
                                                     FunctionPlaces& places, bool tooltips);
// The target of the name, file or entry number at the position.
[[nodiscard]] std::optional<Location> report_definition(const ReportView& report, Position position,
                                                        FunctionPlaces& places);

}  // namespace gprof::lsp
