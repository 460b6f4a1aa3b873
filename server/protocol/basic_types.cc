#include "server/protocol/basic_types.h"

#include "server/protocol/conversions.h"

namespace gprof::lsp {

void read_json(const Json&, Nothing&, ReadContext&) {}

void read_json(const Json& json, Position& out, ReadContext& context) {
  ObjectReader(json, context).required("line", out.line).required("character", out.character);
}

void read_json(const Json& json, Range& out, ReadContext& context) {
  ObjectReader(json, context).required("start", out.start).required("end", out.end);
}

void read_json(const Json& json, Location& out, ReadContext& context) {
  ObjectReader(json, context).required("uri", out.uri).required("range", out.range);
}

void read_json(const Json& json, TextDocumentIdentifier& out, ReadContext& context) {
  ObjectReader(json, context).required("uri", out.uri);
}

void read_json(const Json& json, TextDocumentPositionParams& out, ReadContext& context) {
  ObjectReader(json, context)
      .required("textDocument", out.text_document)
      .required("position", out.position);
}

void read_json(const Json& json, ResponseError& out, ReadContext& context) {
  std::int32_t code = 0;
  ObjectReader(json, context).required("code", code).required("message", out.message);
  out.code = static_cast<ResponseCode>(code);
}

Json write_json(const Nothing&) { return nullptr; }

Json write_json(const Position& value) {
  // Not as a list of pairs, each of which would be made as a JSON array first: there are many.
  Json json;
  json["line"] = value.line;
  json["character"] = value.character;
  return json;
}

Json write_json(const Range& value) {
  Json json;
  json["start"] = write_json(value.start);
  json["end"] = write_json(value.end);
  return json;
}

Json write_json(const Location& value) {
  return {{"uri", value.uri}, {"range", write_json(value.range)}};
}

void read_json(const Json& json, MarkupContent& out, ReadContext& context) {
  if (json.is_string()) return read_json(json, out.value, context);
  std::string kind;
  ObjectReader(json, context).required("kind", kind).required("value", out.value);
  out.kind = kind == "markdown" ? MarkupKind::markdown : MarkupKind::plaintext;
}

Json write_json(const MarkupContent& value) {
  const char* kind = value.kind == MarkupKind::markdown ? "markdown" : "plaintext";
  return {{"kind", kind}, {"value", value.value}};
}

Json write_json(const ResponseError& value) {
  return {{"code", static_cast<std::int32_t>(value.code)}, {"message", value.message}};
}

}  // namespace gprof::lsp
