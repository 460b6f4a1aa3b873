// Reports for requests: which one is meant, its text as the client has it open or as it is made,
// and what its names lead to. As documents, for gprof/report and for a command alike.
//
// Ownership: results keep their text alive and borrow the context's programs.
// Thread contract: on a worker, within the answer to one request.
#pragma once

#include <memory>

#include "server/features/feature_context.h"
#include "server/protocol/reply.h"
#include "server/report_documents/report_links.h"
#include "server/report_documents/report_texts.h"

namespace gprof::lsp {

// invalid_argument becomes InvalidParams, everything else RequestFailed.
[[nodiscard]] ResponseError response_error(const Error& error);

struct ReportSource {
  const LoadedProgram* program = nullptr;  // never null
  std::shared_ptr<const ReportText> text;
};

// As made. Errors: no such program, no program at all, those of the report.
[[nodiscard]] Expected<ReportSource> made_report(const FeatureContext& context,
                                                 ReportTexts& reports,
                                                 const ReportAddress& address);
// The context's document: as it is made, in the text that is open if there is one. Errors: as
// above.
[[nodiscard]] Expected<ReportSource> shown_report(const FeatureContext& context,
                                                  ReportTexts& reports);

// Sorted by range.
[[nodiscard]] std::vector<DocumentLink> links_of(FeatureContext& context,
                                                 const ReportSource& source, const DocumentUri& uri,
                                                 bool tooltips);
[[nodiscard]] std::optional<Location> definition_of(FeatureContext& context,
                                                    const ReportSource& source, Position position);

}  // namespace gprof::lsp
