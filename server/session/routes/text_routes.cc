#include <algorithm>
#include <iterator>
#include <utility>

#include "server/features/code_action.h"
#include "server/features/code_lens.h"
#include "server/features/diagnostics.h"
#include "server/features/hover.h"
#include "server/features/inlay_hint.h"
#include "server/features/shown_metric.h"
#include "server/session/routes/route.h"
#include "server/session/routes/test_answers.h"

namespace gprof::lsp {
namespace {

using Lenses = std::vector<CodeLens>;
using Actions = std::vector<CodeAction>;
using Hints = std::vector<InlayHint>;
using MaybeHover = std::optional<Hover>;

// The URI in the data of an item to be resolved.
const DocumentUri& uri_of(const std::optional<AnyValue>& data) {
  static const DocumentUri none;
  const AnyValue* uri = data ? data->find("uri") : nullptr;
  return uri != nullptr && uri->string() != nullptr ? *uri->string() : none;
}

// Whether the state that an item was made from is still shown.
bool is_of_generation(const std::optional<AnyValue>& data, std::uint64_t generation) {
  const AnyValue* made_of = data ? data->find("generation") : nullptr;
  return made_of != nullptr && made_of->integer() != nullptr &&
         *made_of->integer() == static_cast<std::int64_t>(generation);
}

ResponseError content_modified(const char* what) {
  return {ResponseCode::content_modified,
          std::string("The profile or the document is another one than the ") + what +
              " was made from: ask for it again."};
}

MarkupKind markup_kind(const ClientCapabilities& client) {
  return client.hover_markdown ? MarkupKind::markdown : MarkupKind::plaintext;
}

Lenses function_lenses_of(FeatureContext& context) {
  context.views.use_costs_at_hand();
  const double threshold = context.settings.lens_threshold;
  const auto views = context.views.all_of_document();
  return context.client.lens_resolves_command
             ? resolvable_code_lenses(views, threshold, context.generation)
             : code_lenses(views, threshold);
}

Lenses answer_code_lens(FeatureContext& context, const CodeLensParams&) {
  if (!context.settings.code_lens) return {};
  Lenses lenses = function_lenses_of(context);
  if (context.client.gprof_tests && context.settings.test_lenses) {
    Lenses of_tests = lenses_of_tests(context);
    std::ranges::move(of_tests, std::back_inserter(lenses));
  }
  return lenses;
}

Outcome<CodeLens> answer_resolve_lens(FeatureContext& context, const CodeLens& lens) {
  if (lens.command) return lens;
  if (!is_of_generation(lens.data, context.generation)) return content_modified("lens");
  context.views.use_costs_at_hand();
  auto resolved =
      resolve_code_lens(context.views.all_of_document(), lens, context.settings.lens_threshold);
  if (!resolved) return content_modified("lens");
  return std::move(*resolved);
}

Actions answer_code_action(FeatureContext& context, const CodeActionParams& params) {
  if (!context.client.show_document || !wants_code_actions(params.only)) return {};
  const auto view = context.views.of_document();
  if (!view) return {};
  return code_actions(*view, params.range.start, context.views.of_program(view->program),
                      context.views.programs(), time_now());
}

HintOptions hint_options(const FeatureContext& context, const FileView& view) {
  return {{shown_metric(view.program, context.settings).shown, context.settings.threshold},
          context.client.hint_resolves,
          markup_kind(context.client),
          context.generation};
}

Hints answer_inlay_hint(FeatureContext& context, const InlayHintParams& params) {
  // A client that draws line data itself would show it twice.
  if (!context.settings.inlay_hints || context.client.gprof_decorations) return {};
  context.views.use_costs_at_hand();
  const auto view = context.views.of_document();
  if (!view) return {};
  Hints hints = inlay_hints(*view, params.range, hint_options(context, *view));
  if (context.client.code_lens || !context.settings.code_lens) return hints;
  add_lens_hints(hints, context.views.all_of_document(), params.range,
                 context.settings.lens_threshold);
  return hints;
}

Outcome<InlayHint> answer_resolve_hint(FeatureContext& context, const InlayHint& hint) {
  if (!hint.data) return hint;
  if (!is_of_generation(hint.data, context.generation)) return content_modified("hint");
  const auto view = context.views.of_document();
  if (!view) return content_modified("hint");
  auto resolved = resolve_inlay_hint(*view, hint, hint_options(context, *view),
                                     context.views.of_program(view->program));
  if (!resolved) return content_modified("hint");
  return std::move(*resolved);
}

MaybeHover answer_hover(FeatureContext& context, const TextDocumentPositionParams& params) {
  const auto views = context.views.all_of_document();
  if (views.empty()) return std::nullopt;
  const FileView& view = views.front();
  return hover(view, std::span(views).subspan(1), params.position, markup_kind(context.client),
               context.views.of_program(view.program));
}

DiagnosticReport answer_diagnostic(FeatureContext& context,
                                   const DocumentDiagnosticParams& params) {
  DiagnosticReport report;
  report.items = diagnostics_of(context);
  report.result_id = result_id(report.items);
  report.unchanged = params.previous_result_id == report.result_id;
  if (report.unchanged) report.items.clear();
  return report;
}

}  // namespace

// Found by route_document(), like those in route.h.
static const DocumentUri& document_of(const CodeLens& lens) { return uri_of(lens.data); }
static const DocumentUri& document_of(const InlayHint& hint) { return uri_of(hint.data); }

void register_text_routes(const RouteContext& routes) {
  route_document<CodeLensParams, Lenses>(routes, "textDocument/codeLens", answer_code_lens);
  route_document<CodeLens, CodeLens>(routes, "codeLens/resolve", answer_resolve_lens);
  route_document<CodeActionParams, Actions>(routes, "textDocument/codeAction", answer_code_action);
  route_document<InlayHintParams, Hints>(routes, "textDocument/inlayHint", answer_inlay_hint);
  route_document<InlayHint, InlayHint>(routes, "inlayHint/resolve", answer_resolve_hint);
  route_document<TextDocumentPositionParams, MaybeHover>(routes, "textDocument/hover",
                                                         answer_hover);
  route_document<DocumentDiagnosticParams, DiagnosticReport>(routes, "textDocument/diagnostic",
                                                             answer_diagnostic);
}

}  // namespace gprof::lsp
