#include "server/protocol/diagnostics.h"

#include "server/protocol/conversions.h"

namespace gprof::lsp {

void read_json(const Json& json, DocumentDiagnosticParams& out, ReadContext& context) {
  ObjectReader(json, context)
      .required("textDocument", out.text_document)
      .optional("previousResultId", out.previous_result_id);
}

Json write_json(const Diagnostic& value) {
  return {{"range", write_json(value.range)},
          {"severity", static_cast<int>(value.severity)},
          {"code", value.code},
          {"source", "gprof"},
          {"message", value.message}};
}

Json write_json(const DiagnosticReport& value) {
  if (value.unchanged) return {{"kind", "unchanged"}, {"resultId", value.result_id}};
  return {{"kind", "full"}, {"resultId", value.result_id}, {"items", write_json(value.items)}};
}

Json write_json(const PublishDiagnosticsParams& value) {
  Json json = {{"uri", value.uri}, {"diagnostics", write_json(value.diagnostics)}};
  if (value.version) json["version"] = *value.version;
  return json;
}

}  // namespace gprof::lsp
