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

void read_label_part(const Json& json, InlayHintLabelPart& out, ReadContext& context) {
  ObjectReader(json, context)
      .required("value", out.value)
      .optional("tooltip", out.tooltip)
      .optional("location", out.location)
      .optional("command", out.command);
}

void read_label(const Json& json, InlayHint& out, ReadContext& context) {
  if (json.is_string()) return read_json(json, out.label.emplace<std::string>(), context);
  if (!json.is_array()) return context.fail("a string or an array");
  auto& parts = out.label.emplace<std::vector<InlayHintLabelPart>>();
  for (std::size_t i = 0; i < json.size() && !context.failed(); ++i) {
    context.enter(i);
    read_label_part(json[i], parts.emplace_back(), context);
    context.leave();
  }
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

void read_json(const Json& json, Command& out, ReadContext& context) {
  ObjectReader(json, context)
      .required("title", out.title)
      .required("command", out.command)
      .optional("arguments", out.arguments)
      .optional("tooltip", out.tooltip);
}

void read_json(const Json& json, CodeLens& out, ReadContext& context) {
  ObjectReader(json, context)
      .required("range", out.range)
      .optional("command", out.command)
      .optional("data", out.data);
}

void read_json(const Json& json, InlayHint& out, ReadContext& context) {
  ObjectReader(json, context)
      .required("position", out.position)
      .optional("tooltip", out.tooltip)
      .optional("paddingLeft", out.padding_left)
      .optional("paddingRight", out.padding_right)
      .optional("data", out.data);
  const Json* label = member(json, "label");
  context.enter("label");
  if (label) {
    read_label(*label, out, context);
  } else {
    context.fail("a value");
  }
  context.leave();
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

void read_json(const Json& json, ReferenceParams& out, ReadContext& context) {
  ObjectReader(json, context)
      .required("textDocument", out.text_document)
      .required("position", out.position);
  // The protocol requires it; a client that leaves it out wants what most mean.
  if (const Json* wanted = member(json, "context")) {
    context.enter("context");
    ObjectReader(*wanted, context).optional("includeDeclaration", out.include_declaration);
    context.leave();
  }
}

void read_json(const Json& json, WorkspaceSymbolParams& out, ReadContext& context) {
  ObjectReader(json, context).required("query", out.query);
}

void read_json(const Json& json, ExecuteCommandParams& out, ReadContext& context) {
  ObjectReader(json, context).required("command", out.command).optional("arguments", out.arguments);
}

Json write_json(const Command& value) {
  Json json;
  json["title"] = value.title;
  json["command"] = value.command;
  if (!value.arguments.empty()) json["arguments"] = write_json(value.arguments);
  if (!value.tooltip.empty()) json["tooltip"] = value.tooltip;
  return json;
}

Json write_json(const CodeLens& value) {
  Json json;
  json["range"] = write_json(value.range);
  if (value.command) json["command"] = write_json(*value.command);
  if (value.data) json["data"] = write_json(*value.data);
  return json;
}

Json write_json(const InlayHint& value) {
  Json json = {{"position", write_json(value.position)}, {"label", write_label(value)}};
  if (value.tooltip) json["tooltip"] = write_json(*value.tooltip);
  if (value.padding_left) json["paddingLeft"] = true;
  if (value.padding_right) json["paddingRight"] = true;
  if (value.data) json["data"] = write_json(*value.data);
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
