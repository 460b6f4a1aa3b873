// Targets of the names in a report: textDocument/documentLink and textDocument/definition.
//
// Thread contract: pure, except for reading the functions' files through `locations`.
#pragma once

#include <optional>
#include <vector>

#include "server/features/function_locations.h"
#include "server/protocol/reports.h"
#include "server/report_documents/report_text.h"

namespace gprof::lsp {

// One report as it is looked at, of the program that `locations` knows.
struct ReportView {
  DocumentUri uri;
  const ReportText& report;
  PositionEncoding encoding = PositionEncoding::utf16;
};

// Maximum links per report: those of its first lines, which have the hottest functions.
inline constexpr std::size_t most_report_links = 10'000;

// Sorted by range.
[[nodiscard]] std::vector<DocumentLink> report_links(const ReportView& view,
                                                     FunctionLocations& locations, bool tooltips);
// Of the name, the file or the entry's number at the position.
[[nodiscard]] std::optional<Location> report_definition(const ReportView& view, Position position,
                                                        FunctionLocations& locations);

}  // namespace gprof::lsp
