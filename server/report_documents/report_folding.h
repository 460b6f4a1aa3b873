// textDocument/foldingRange of reports: entries of the call graph, annotated files, explanations,
// and each report if a document has several.
//
// Thread contract: pure functions.
#pragma once

#include <vector>

#include "server/protocol/reports.h"
#include "server/report_documents/report_text.h"

namespace gprof::lsp {

inline constexpr std::size_t most_report_folds = 50'000;

[[nodiscard]] std::vector<FoldingRange> report_folding(const ReportText& report);

}  // namespace gprof::lsp
