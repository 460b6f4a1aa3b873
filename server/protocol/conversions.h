// JSON conversions of the protocol's structures: read_json for what clients send, write_json for
// what the server sends. Some go both ways, because items come back or because tests play a client.
//
// read_json keeps the first problem in the context; write_json cannot fail.
// Thread contract: pure functions.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "server/protocol/any_value.h"
#include "server/protocol/basic_types.h"
#include "server/protocol/diagnostics.h"
#include "server/protocol/documents.h"
#include "server/protocol/extension_answers.h"
#include "server/protocol/extension_requests.h"
#include "server/protocol/extensions.h"
#include "server/protocol/features.h"
#include "server/protocol/json_reader.h"
#include "server/protocol/json_text.h"
#include "server/protocol/lifecycle.h"
#include "server/protocol/reports.h"
#include "server/protocol/response_error.h"
#include "server/protocol/settings.h"
#include "server/protocol/window.h"

namespace gprof::lsp {

// basic_types.h, any_value.h
void read_json(const Json& json, Nothing& out, ReadContext& context);
void read_json(const Json& json, AnyValue& out, ReadContext& context);
void read_json(const Json& json, Position& out, ReadContext& context);
void read_json(const Json& json, Range& out, ReadContext& context);
void read_json(const Json& json, Location& out, ReadContext& context);
void read_json(const Json& json, TextDocumentIdentifier& out, ReadContext& context);
void read_json(const Json& json, TextDocumentPositionParams& out, ReadContext& context);
[[nodiscard]] Json write_json(const Nothing& value);
[[nodiscard]] Json write_json(const AnyValue& value);
[[nodiscard]] Json write_json(const Position& value);
[[nodiscard]] Json write_json(const Range& value);
[[nodiscard]] Json write_json(const Location& value);
void read_json(const Json& json, MarkupContent& out, ReadContext& context);  // or a string
[[nodiscard]] Json write_json(const MarkupContent& value);
[[nodiscard]] Json write_json(const ResponseError& value);
void read_json(const Json& json, ResponseError& out, ReadContext& context);

// lifecycle.h
void read_json(const Json& json, InitializeParams& out, ReadContext& context);
void read_json(const Json& json, DidChangeWorkspaceFoldersParams& out, ReadContext& context);
void read_json(const Json& json, SetTraceParams& out, ReadContext& context);
[[nodiscard]] Json write_json(const LogTraceParams& value);
[[nodiscard]] Json write_json(const InitializeResult& value);

// documents.h
void read_json(const Json& json, DidOpenParams& out, ReadContext& context);
void read_json(const Json& json, DidChangeParams& out, ReadContext& context);
void read_json(const Json& json, DidSaveParams& out, ReadContext& context);
void read_json(const Json& json, DidCloseParams& out, ReadContext& context);
void read_json(const Json& json, DidChangeWatchedFilesParams& out, ReadContext& context);

// features.h
void read_json(const Json& json, CodeLensParams& out, ReadContext& context);
void read_json(const Json& json, InlayHintParams& out, ReadContext& context);
void read_json(const Json& json, Command& out, ReadContext& context);
void read_json(const Json& json, CodeLens& out, ReadContext& context);
void read_json(const Json& json, InlayHint& out, ReadContext& context);
void read_json(const Json& json, CallHierarchyItem& out, ReadContext& context);
void read_json(const Json& json, CallHierarchyCallsParams& out, ReadContext& context);
void read_json(const Json& json, ReferenceParams& out, ReadContext& context);
void read_json(const Json& json, WorkspaceSymbolParams& out, ReadContext& context);
void read_json(const Json& json, ExecuteCommandParams& out, ReadContext& context);
[[nodiscard]] Json write_json(const Command& value);
[[nodiscard]] Json write_json(const CodeLens& value);
[[nodiscard]] Json write_json(const InlayHint& value);
[[nodiscard]] Json write_json(const Hover& value);
[[nodiscard]] Json write_json(const CallHierarchyItem& value);
[[nodiscard]] Json write_json(const CallHierarchyIncomingCall& value);
[[nodiscard]] Json write_json(const CallHierarchyOutgoingCall& value);
[[nodiscard]] Json write_json(const WorkspaceSymbol& value);

// diagnostics.h
void read_json(const Json& json, DocumentDiagnosticParams& out, ReadContext& context);
[[nodiscard]] Json write_json(const Diagnostic& value);
[[nodiscard]] Json write_json(const DiagnosticReport& value);
[[nodiscard]] Json write_json(const PublishDiagnosticsParams& value);

// extensions.h
[[nodiscard]] Json write_json(const ProfileStatus& value);

// extension_requests.h
void read_json(const Json& json, LineDataParams& out, ReadContext& context);
void read_json(const Json& json, HotSpotsParams& out, ReadContext& context);
void read_json(const Json& json, FlatProfileParams& out, ReadContext& context);
void read_json(const Json& json, CyclesParams& out, ReadContext& context);
void read_json(const Json& json, CallGraphParams& out, ReadContext& context);
void read_json(const Json& json, CallSitesParams& out, ReadContext& context);
void read_json(const Json& json, FlameGraphParams& out, ReadContext& context);
void read_json(const Json& json, ExportParams& out, ReadContext& context);
void read_json(const Json& json, ReportParams& out, ReadContext& context);
void read_json(const Json& json, ProgramsParams& out, ReadContext& context);

// extension_answers.h
[[nodiscard]] Json write_json(const LineDataResult& value);
[[nodiscard]] Json write_json(const HotSpotsResult& value);
[[nodiscard]] Json write_json(const FlatProfileResult& value);
[[nodiscard]] Json write_json(const CyclesResult& value);
[[nodiscard]] Json write_json(const CallGraphResult& value);
[[nodiscard]] Json write_json(const CallSitesResult& value);
[[nodiscard]] Json write_json(const FlameGraphResult& value);
[[nodiscard]] Json write_json(const ReportResult& value);
[[nodiscard]] Json write_json(const ProgramsResult& value);

// reports.h
void read_json(const Json& json, TextDocumentContentParams& out, ReadContext& context);
void read_json(const Json& json, DocumentLinkParams& out, ReadContext& context);
void read_json(const Json& json, FoldingRangeParams& out, ReadContext& context);
[[nodiscard]] Json write_json(const TextDocumentContentResult& value);
[[nodiscard]] Json write_json(const DocumentLink& value);
[[nodiscard]] Json write_json(const FoldingRange& value);

// window.h
[[nodiscard]] Json write_json(const ShowMessageParams& value);
[[nodiscard]] Json write_json(const LogMessageParams& value);
[[nodiscard]] Json write_json(const ShowDocumentParams& value);
[[nodiscard]] Json write_json(const WorkDoneProgressCreateParams& value);
[[nodiscard]] Json write_json(const WorkDoneProgressBegin& value);
[[nodiscard]] Json write_json(const WorkDoneProgressReport& value);
[[nodiscard]] Json write_json(const WorkDoneProgressEnd& value);
[[nodiscard]] Json write_json(const ConfigurationParams& value);
[[nodiscard]] Json write_json(const RegisterWatchedFilesParams& value);
[[nodiscard]] Json write_json(const RegisterConfigurationParams& value);
[[nodiscard]] Json write_json(const RegisterForSchemeParams& value);
[[nodiscard]] Json write_json(const TextDocumentContentRefreshParams& value);
[[nodiscard]] Json write_json(const ShowMessageRequestParams& value);
void read_json(const Json& json, ShowMessageChoice& out, ReadContext& context);
void read_json(const Json& json, WorkDoneProgressCancelParams& out, ReadContext& context);
[[nodiscard]] Json write_json(const UnregisterParams& value);
void read_json(const Json& json, ConfigurationResult& out, ReadContext& context);
void read_json(const Json& json, DidChangeConfigurationParams& out, ReadContext& context);

template <typename T>
[[nodiscard]] Json write_json(const std::vector<T>& values) {
  Json json = Json::array();
  for (const T& value : values) json.push_back(write_json(value));
  return json;
}

template <typename T>
[[nodiscard]] Json write_json(const std::optional<T>& value) {
  return value ? write_json(*value) : Json();
}

// The text of write_json(value). Of a list element by element: the hundreds of lenses of a large
// file, all of them as JSON at once, cost thousands of pieces of memory that are not at hand.
template <typename T>
[[nodiscard]] std::string written_text(const T& value) {
  return json_text(write_json(value));
}

template <typename T>
[[nodiscard]] std::string written_text(const std::vector<T>& values) {
  std::string text = "[";
  for (const T& value : values) {
    if (text.size() > 1) text += ',';
    text += json_text(write_json(value));
  }
  return text += ']';
}

template <typename Value>
[[nodiscard]] Json write_json(const ProgressParams<Value>& progress) {
  return {{"token", progress.token}, {"value", write_json(progress.value)}};
}

// settings.h. Never fails: what is wrong is named in the layer's problems. `json` is the section's
// value; null is an empty layer.
[[nodiscard]] SettingsLayer read_settings(const Json& json);

}  // namespace gprof::lsp
