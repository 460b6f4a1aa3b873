#include "server/report_documents/report_pages.h"

#include "server/features/named_program.h"

namespace gprof::lsp {
namespace {

FunctionLocations locations_for(FeatureContext& context, const ReportSource& source) {
  return {*source.program, context.views.texts_of_program(*source.program)};
}

}  // namespace

ResponseError response_error(const Error& error) {
  const bool invalid = error.code == ErrorCode::invalid_argument;
  return {invalid ? ResponseCode::invalid_params : ResponseCode::request_failed, describe(error)};
}

Expected<ReportSource> made_report(const FeatureContext& context, ReportTexts& reports,
                                   const ReportAddress& address) {
  const auto program = required_program(context.views.programs(), address.program);
  if (!program) return program.error();
  auto text = reports.text(**program, address, context.settings.demangle);
  if (!text) return std::move(text).error();
  return ReportSource{*program, std::move(*text)};
}

Expected<ReportSource> shown_report(const FeatureContext& context, ReportTexts& reports) {
  const DocumentView& document = context.views.document();
  auto address = parse_report_uri(document.uri);
  if (!address) return std::move(address).error();
  auto source = made_report(context, reports, *address);
  if (!source || !document.document || document.document->text() == source->text->text) {
    return source;
  }
  source->text =
      std::make_shared<const ReportText>(in_open_text(*source->text, *document.document));
  return source;
}

std::vector<DocumentLink> links_of(FeatureContext& context, const ReportSource& source,
                                   const DocumentUri& uri, bool tooltips) {
  FunctionLocations locations = locations_for(context, source);
  return report_links({uri, *source.text, context.encoding}, locations, tooltips);
}

std::optional<Location> definition_of(FeatureContext& context, const ReportSource& source,
                                      Position position) {
  FunctionLocations locations = locations_for(context, source);
  const DocumentUri& uri = context.views.document().uri;
  return report_definition({uri, *source.text, context.encoding}, position, locations);
}

}  // namespace gprof::lsp
