#include "server/feature_routes.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace gprof::lsp {
namespace {

void register_text_features(Dispatcher& dispatcher, ProfileService& service,
                            const FeatureContext& context) {
  using Lenses = std::vector<CodeLens>;
  using Hints = std::vector<InlayHint>;
  using MaybeHover = std::optional<Hover>;
  dispatcher.on_request<CodeLensParams, Lenses>(
      "textDocument/codeLens",
      [&service, context](const CodeLensParams& params, Reply<Lenses> reply) {
        if (!context.settings().code_lens) return reply.succeed({});
        service.code_lens(context.view(params.text_document.uri), std::move(reply));
      });
  dispatcher.on_request<InlayHintParams, Hints>(
      "textDocument/inlayHint",
      [&service, context](const InlayHintParams& params, Reply<Hints> reply) {
        if (!context.settings().inlay_hints) return reply.succeed({});
        service.inlay_hint(context.view(params.text_document.uri), params.range, std::move(reply));
      });
  dispatcher.on_request<TextDocumentPositionParams, MaybeHover>(
      "textDocument/hover",
      [&service, context](const TextDocumentPositionParams& params, Reply<MaybeHover> reply) {
        service.hover(context.view(params.text_document.uri), params.position, std::move(reply));
      });
}

void register_call_hierarchy(Dispatcher& dispatcher, ProfileService& service,
                             const FeatureContext& context) {
  using Items = std::vector<CallHierarchyItem>;
  using Incoming = std::vector<CallHierarchyIncomingCall>;
  using Outgoing = std::vector<CallHierarchyOutgoingCall>;
  dispatcher.on_request<TextDocumentPositionParams, Items>(
      "textDocument/prepareCallHierarchy",
      [&service, context](const TextDocumentPositionParams& params, Reply<Items> reply) {
        service.prepare_call_hierarchy(context.view(params.text_document.uri), params.position,
                                       std::move(reply));
      });
  dispatcher.on_request<CallHierarchyCallsParams, Incoming>(
      "callHierarchy/incomingCalls",
      [&service, context](CallHierarchyCallsParams params, Reply<Incoming> reply) {
        service.incoming_calls(context.view(params.item.uri), std::move(params.item),
                               std::move(reply));
      });
  dispatcher.on_request<CallHierarchyCallsParams, Outgoing>(
      "callHierarchy/outgoingCalls",
      [&service, context](CallHierarchyCallsParams params, Reply<Outgoing> reply) {
        service.outgoing_calls(context.view(params.item.uri), std::move(params.item),
                               std::move(reply));
      });
}

void register_workspace_features(Dispatcher& dispatcher, ProfileService& service) {
  using Symbols = std::vector<WorkspaceSymbol>;
  dispatcher.on_request<WorkspaceSymbolParams, Symbols>(
      "workspace/symbol", [&service](WorkspaceSymbolParams params, Reply<Symbols> reply) {
        service.workspace_symbol(std::move(params.query), std::move(reply));
      });
  dispatcher.on_request<ExecuteCommandParams, AnyValue>(
      "workspace/executeCommand",
      [&service, known = service.commands()](ExecuteCommandParams params, Reply<AnyValue> reply) {
        if (std::find(known.begin(), known.end(), params.command) == known.end()) {
          return reply.fail(ResponseCode::invalid_params,
                            "this server knows no command " + params.command);
        }
        service.execute_command(std::move(params.command), std::move(params.arguments),
                                std::move(reply));
      });
}

}  // namespace

void register_features(Dispatcher& dispatcher, ProfileService& service,
                       const FeatureContext& context) {
  register_text_features(dispatcher, service, context);
  register_call_hierarchy(dispatcher, service, context);
  register_workspace_features(dispatcher, service);
}

}  // namespace gprof::lsp
