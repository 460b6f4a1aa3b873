#include "server/report_pages.h"

#include "server/features/named_program.h"

namespace gprof::lsp {
namespace {

// Calls `use(view, places)` with what links are made from.
template <typename Use>
auto look_into(FeatureContext& context, ReportTexts& reports, const ReportSource& source,
               const DocumentUri& uri, Use use) {
  const auto symbols = reports.symbols(source.program->snapshot->program());
  const ReportDocument document =
      parse_report(source.text->text, source.text->lines, source.address.page);
  FunctionPlaces places(*source.program, context.views.texts_of_program(*source.program));
  const ReportView view{uri,      source.text->text, source.text->lines,
                        document, *symbols,          context.encoding};
  return use(view, places);
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
  return ReportSource{address, *program, std::move(*text)};
}

Expected<ReportSource> shown_report(const FeatureContext& context, ReportTexts& reports) {
  const DocumentView& document = context.views.document();
  auto address = parse_report_uri(document.uri);
  if (!address) return std::move(address).error();
  if (!document.document) return made_report(context, reports, *address);
  ReportSource source{*address, nullptr, nullptr};
  const auto program = named_program(context.views.programs(), address->program);
  if (program) source.program = *program;
  auto text = std::make_shared<ReportText>();
  text->text = document.document->text();
  text->lines = document.document->lines();
  source.text = std::move(text);
  return source;
}

std::vector<DocumentLink> links_of(FeatureContext& context, ReportTexts& reports,
                                   const ReportSource& source, const DocumentUri& uri,
                                   bool tooltips) {
  if (source.program == nullptr) return {};
  return look_into(context, reports, source, uri,
                   [&](const ReportView& view, FunctionPlaces& places) {
                     return report_links(view, places, tooltips);
                   });
}

std::optional<Location> definition_of(FeatureContext& context, ReportTexts& reports,
                                      const ReportSource& source, Position position) {
  if (source.program == nullptr) return std::nullopt;
  return look_into(context, reports, source, context.views.document().uri,
                   [&](const ReportView& view, FunctionPlaces& places) {
                     return report_definition(view, position, places);
                   });
}

}  // namespace gprof::lsp
