#include "server/features/named_program.h"
#include "server/report_documents/report_folding.h"
#include "server/report_documents/report_pages.h"
#include "server/session/routes/route.h"

namespace gprof::lsp {
namespace {

using Links = std::vector<DocumentLink>;
using Folds = std::vector<FoldingRange>;
using MaybeLocation = std::optional<Location>;

Outcome<TextDocumentContentResult> content(FeatureContext& context, ReportTexts& reports,
                                           const TextDocumentContentParams& params) {
  const auto address = parse_report_uri(params.uri);
  if (!address) return response_error(address.error());
  const auto source = made_report(context, reports, *address);
  // Notified of the next state even if there is no text in this one.
  reports.opened(params.uri, ReportTexts::state_of(source ? source->program : nullptr, *address,
                                                   context.settings.demangle));
  if (!source) return response_error(source.error());
  return TextDocumentContentResult{source->text->text};
}

// Clients request these for every document they show: one that is not a report, or cannot be made,
// has none.
Links links(FeatureContext& context, ReportTexts& reports) {
  const auto source = shown_report(context, reports);
  if (!source) return {};
  return links_of(context, *source, context.views.document().uri, context.client.link_tooltips);
}

Folds folds(FeatureContext& context, ReportTexts& reports) {
  const auto source = shown_report(context, reports);
  if (!source) return {};
  return report_folding(*source->text);
}

MaybeLocation definition(FeatureContext& context, ReportTexts& reports, Position position) {
  const auto source = shown_report(context, reports);
  if (!source) return std::nullopt;
  return definition_of(context, *source, position);
}

// Answers at once if the document is not a report: this server knows nothing about others.
template <typename Params, typename Result, typename Answer>
void route_report(const RouteContext& routes, const std::string& method, Answer answer) {
  routes.dispatcher.on_request<Params, Result>(
      method, [&service = routes.service, &reports = routes.reports, view = routes.view, answer](
                  Params params, Reply<Result> reply) {
        const DocumentUri& uri = document_of(params);
        if (!is_report_uri(uri)) return reply.succeed(Result());
        run_on_worker(service, view(uri), std::move(reply),
                      [&reports, answer, params](FeatureContext& context) {
                        return answer(context, reports, params);
                      });
      });
}

}  // namespace

void register_report_routes(const RouteContext& routes) {
  route_workspace<TextDocumentContentParams, TextDocumentContentResult>(
      routes, "workspace/textDocumentContent",
      [&reports = routes.reports](FeatureContext& context,
                                  const TextDocumentContentParams& params) {
        return content(context, reports, params);
      });
  route_report<DocumentLinkParams, Links>(
      routes, "textDocument/documentLink",
      [](FeatureContext& context, ReportTexts& reports, const DocumentLinkParams&) {
        return links(context, reports);
      });
  route_report<FoldingRangeParams, Folds>(
      routes, "textDocument/foldingRange",
      [](FeatureContext& context, ReportTexts& reports, const FoldingRangeParams&) {
        return folds(context, reports);
      });
  route_report<TextDocumentPositionParams, MaybeLocation>(
      routes, "textDocument/definition",
      [](FeatureContext& context, ReportTexts& reports, const TextDocumentPositionParams& params) {
        return definition(context, reports, params.position);
      });
}

void refresh_reports(ProfileService& service, ReportTexts& reports) {
  if (!reports.has_shown()) return;
  service.run(DocumentView(), [&reports](FeatureContext& context) {
    const auto current = [&](const ReportAddress& address) {
      const auto program = named_program(context.views.programs(), address.program);
      return ReportTexts::state_of(program ? *program : nullptr, address,
                                   context.settings.demangle);
    };
    for (DocumentUri& uri : reports.take_outdated(current)) {
      context.events.refresh_document(std::move(uri));
    }
  });
}

}  // namespace gprof::lsp
