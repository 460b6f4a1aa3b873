// What names in a report lead to: textDocument/documentLink and textDocument/definition.
//
// Thread contract: pure, but for reading the functions' files through `places`.
#pragma once

#include <optional>
#include <vector>

#include "server/features/function_places.h"
#include "server/features/report_symbols.h"
#include "server/protocol/reports.h"

namespace gprof::lsp {

// One report as it is looked at: its text in an editor, or as it was made.
struct ReportView {
  DocumentUri uri;
  std::string_view text;
  const LineTable& lines;
  const ReportDocument& document;
  const ReportSymbols& symbols;  // of the program that `places` knows
  PositionEncoding encoding = PositionEncoding::utf16;
};

// Most links that are made of one report; those of its first lines, which tell of the hottest.
inline constexpr std::size_t most_report_links = 10'000;

// Sorted by range.
[[nodiscard]] std::vector<DocumentLink> report_links(const ReportView& report,
                                                     FunctionPlaces& places, bool tooltips);
// Of the name, the file or the entry's number at the position.
[[nodiscard]] std::optional<Location> report_definition(const ReportView& report, Position position,
                                                        FunctionPlaces& places);

}  // namespace gprof::lsp
