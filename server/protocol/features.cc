#include "server/protocol/features.h"

#include "server/protocol/conversions.h"

namespace gprof::lsp {
namespace {

Json write_label_part(const InlayHintLabelPart& part) {
  Json json = {{"value", part.value}};
  if (part.tooltip) json["tooltip"] = write_json(*part.tooltip);
  if (part.location) json["location"] = write_json(*part.location);
  if (part.command) json["command"] = write_json(*part.command);
  return json;
}

Json write_label(const InlayHint& hint) {
  if (const auto* text = std::get_if<std::string>(&hint.label)) return *text;
  Json parts = Json::array();
  for (const auto& part : *std::get_if<std::vector<InlayHintLabelPart>>(&hint.label)) {
    parts.push_back(write_label_part(part));
  }
  return parts;
}

}  // namespace

void read_json(const Json& json, CodeLensParams& out, ReadContext& context) {
  ObjectReader(json, context).required("textDocument", out.text_document);
}

void read_json(const Json& json, InlayHintParams& out, ReadContext& context) {
  ObjectReader(json, context)
      .required("textDocument", out.text_document)
      .required("range", out.range);
}

void read_json(const Json& json, CallHierarchyItem& out, ReadContext& context) {
  std::uint32_t kind = 0;
  ObjectReader(json, context)
      .required("name", out.name)
      .required("kind", kind)
      .optional("detail", out.detail)
      .required("uri", out.uri)
      .required("range", out.range)
      .required("selectionRange", out.selection_range)
      .optional("data", out.data);
  // 1 to 26 are the protocol's kinds of symbols.
  if (kind < 1 || kind > 26) return context.fail("a member kind from 1 to 26");
  out.kind = static_cast<SymbolKind>(kind);
}

void read_json(const Json& json, CallHierarchyCallsParams& out, ReadContext& context) {
  ObjectReader(json, context).required("item", out.item);
}

void read_json(const Json& json, WorkspaceSymbolParams& out, ReadContext& context) {
  ObjectReader(json, context).required("query", out.query);
}

void read_json(const Json& json, ExecuteCommandParams& out, ReadContext& context) {
  ObjectReader(json, context).required("command", out.command).optional("arguments", out.arguments);
}

Json write_json(const Command& value) {
  Json json = {{"title", value.title}, {"command", value.command}};
  if (!value.arguments.empty()) json["arguments"] = write_json(value.arguments);
  return json;
}

Json write_json(const CodeLens& value) {
  Json json = {{"range", write_json(value.range)}};
  if (value.command) json["command"] = write_json(*value.command);
  return json;
}

Json write_json(const InlayHint& value) {
  Json json = {{"position", write_json(value.position)}, {"label", write_label(value)}};
  if (value.tooltip) json["tooltip"] = write_json(*value.tooltip);
  if (value.padding_left) json["paddingLeft"] = true;
  if (value.padding_right) json["paddingRight"] = true;
  return json;
}

Json write_json(const Hover& value) {
  Json json = {{"contents", write_json(value.contents)}};
  if (value.range) json["range"] = write_json(*value.range);
  return json;
}

Json write_json(const CallHierarchyItem& value) {
  Json json = {{"name", value.name}, {"kind", static_cast<int>(value.kind)}};
  if (!value.detail.empty()) json["detail"] = value.detail;
  json["uri"] = value.uri;
  json["range"] = write_json(value.range);
  json["selectionRange"] = write_json(value.selection_range);
  if (value.data) json["data"] = write_json(*value.data);
  return json;
}

Json write_json(const CallHierarchyIncomingCall& value) {
  return {{"from", write_json(value.from)}, {"fromRanges", write_json(value.from_ranges)}};
}

Json write_json(const CallHierarchyOutgoingCall& value) {
  return {{"to", write_json(value.to)}, {"fromRanges", write_json(value.from_ranges)}};
}

Json write_json(const WorkspaceSymbol& value) {
  Json json = {{"name", value.name},
               {"kind", static_cast<int>(value.kind)},
               {"location", write_json(value.location)}};
  if (!value.container_name.empty()) json["containerName"] = value.container_name;
  return json;
}

}  // namespace gprof::lsp
