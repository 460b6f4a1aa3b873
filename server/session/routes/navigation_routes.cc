#include "server/features/call_hierarchy.h"
#include "server/features/references.h"
#include "server/features/workspace_symbol.h"
#include "server/session/routes/route.h"

namespace gprof::lsp {
namespace {

using Items = std::vector<CallHierarchyItem>;
using Incoming = std::vector<CallHierarchyIncomingCall>;
using Outgoing = std::vector<CallHierarchyOutgoingCall>;
using Locations = std::vector<Location>;
using Symbols = std::vector<WorkspaceSymbol>;

constexpr std::size_t most_symbols = 128;

Items prepare(FeatureContext& context, const TextDocumentPositionParams& params) {
  const auto view = context.views.of_document();
  if (!view) return {};
  return hierarchy_items(*view, params.position, context.views.of_program(view->program));
}

// `calls(function, open_view)` for an item's function.
template <typename Calls>
auto of_item(FeatureContext& context, const CallHierarchyItem& item, Calls calls)
    -> decltype(calls(std::declval<HierarchyFunction>(), std::declval<OpenView>())) {
  for (const LoadedProgram& program : context.views.programs()) {
    const OpenView open_view = context.views.of_program(program);
    const auto found = function_of_item(program, item, open_view);
    if (found) return calls(*found, open_view);
  }
  return {};
}

Symbols symbols(FeatureContext& context, const WorkspaceSymbolParams& params) {
  // Programs may differ in whether they have the metric: what is not among the five is time.
  const ShownMetric metric =
      value_named<ShownMetric>(context.settings.metric).value_or(ShownMetric::time);
  const SymbolSearch search = {params.query, metric, most_symbols, context.settings.demangle};
  return workspace_symbols(context.views.programs(), search, [&](const LoadedProgram& program) {
    return context.views.texts_of_program(program);
  });
}

Locations find_references(FeatureContext& context, const ReferenceParams& params) {
  const auto view = context.views.of_document();
  if (!view) return {};
  return references(*view, params.position, params.include_declaration,
                    context.views.of_program(view->program));
}

}  // namespace

void register_navigation_routes(const RouteContext& routes) {
  route_document<TextDocumentPositionParams, Items>(routes, "textDocument/prepareCallHierarchy",
                                                    prepare);
  route_document<CallHierarchyCallsParams, Incoming>(
      routes, "callHierarchy/incomingCalls",
      [](FeatureContext& context, const CallHierarchyCallsParams& params) {
        return of_item(context, params.item, incoming_calls);
      });
  route_document<CallHierarchyCallsParams, Outgoing>(
      routes, "callHierarchy/outgoingCalls",
      [](FeatureContext& context, const CallHierarchyCallsParams& params) {
        return of_item(context, params.item, outgoing_calls);
      });
  route_document<ReferenceParams, Locations>(routes, "textDocument/references", find_references);
  route_workspace<WorkspaceSymbolParams, Symbols>(routes, "workspace/symbol", symbols);
}

}  // namespace gprof::lsp
