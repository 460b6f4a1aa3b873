#include "server/protocol/reports.h"

#include "server/protocol/conversions.h"

namespace gprof::lsp {

void read_json(const Json& json, TextDocumentContentParams& out, ReadContext& context) {
  ObjectReader(json, context).required("uri", out.uri);
}

void read_json(const Json& json, DocumentLinkParams& out, ReadContext& context) {
  ObjectReader(json, context).required("textDocument", out.text_document);
}

void read_json(const Json& json, FoldingRangeParams& out, ReadContext& context) {
  ObjectReader(json, context).required("textDocument", out.text_document);
}

Json write_json(const TextDocumentContentResult& value) { return {{"text", value.text}}; }

Json write_json(const DocumentLink& value) {
  Json json = {{"range", write_json(value.range)}, {"target", value.target}};
  if (value.tooltip) json["tooltip"] = *value.tooltip;
  return json;
}

Json write_json(const FoldingRange& value) {
  return {{"startLine", value.start_line},
          {"endLine", value.end_line},
          {"kind", value.kind == FoldingKind::comment ? "comment" : "region"}};
}

}  // namespace gprof::lsp
