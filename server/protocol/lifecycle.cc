#include "server/protocol/lifecycle.h"

#include <algorithm>
#include <initializer_list>

#include "server/protocol/conversions.h"

namespace gprof::lsp {
namespace {

// The value at the end of a path of member names; null where one is missing.
const Json* find(const Json& json, std::initializer_list<const char*> path) {
  const Json* value = &json;
  for (const char* name : path) {
    value = member(*value, name);
    if (!value) return nullptr;
  }
  return value;
}

bool flag(const Json& json, std::initializer_list<const char*> path) {
  const Json* value = find(json, path);
  return value && value->is_boolean() && value->get<bool>();
}

std::vector<std::string> strings(const Json& json, std::initializer_list<const char*> path) {
  std::vector<std::string> result;
  const Json* value = find(json, path);
  if (!value || !value->is_array()) return result;
  for (const Json& element : *value) {
    if (element.is_string()) result.push_back(element.get<std::string>());
  }
  return result;
}

ClientCapabilities read_capabilities(const Json& json) {
  ClientCapabilities result;
  result.position_encodings = strings(json, {"general", "positionEncodings"});
  result.work_done_progress = flag(json, {"window", "workDoneProgress"});
  result.show_document = flag(json, {"window", "showDocument", "support"});
  result.workspace_configuration = flag(json, {"workspace", "configuration"});
  result.workspace_folders = flag(json, {"workspace", "workspaceFolders"});
  result.code_lens_refresh = flag(json, {"workspace", "codeLens", "refreshSupport"});
  result.inlay_hint_refresh = flag(json, {"workspace", "inlayHint", "refreshSupport"});
  result.register_watched_files =
      flag(json, {"workspace", "didChangeWatchedFiles", "dynamicRegistration"});
  result.register_configuration =
      flag(json, {"workspace", "didChangeConfiguration", "dynamicRegistration"});
  const auto formats = strings(json, {"textDocument", "hover", "contentFormat"});
  result.hover_markdown = std::find(formats.begin(), formats.end(), "markdown") != formats.end();
  result.gprof_decorations = flag(json, {"experimental", "gprof", "decorations"});
  if (const Json* gprof = find(json, {"experimental", "gprof"})) {
    ReadContext context;
    read_json(*gprof, result.experimental_gprof.emplace(), context);
  }
  return result;
}

}  // namespace

std::string_view encoding_name(PositionEncoding encoding) {
  switch (encoding) {
    case PositionEncoding::utf8:
      return "utf-8";
    case PositionEncoding::utf32:
      return "utf-32";
    case PositionEncoding::utf16:
      break;
  }
  return "utf-16";
}

PositionEncoding choose_encoding(const std::vector<std::string>& offered) {
  for (const std::string& name : offered) {
    for (const auto encoding :
         {PositionEncoding::utf8, PositionEncoding::utf16, PositionEncoding::utf32}) {
      if (name == encoding_name(encoding)) return encoding;
    }
  }
  return PositionEncoding::utf16;
}

void read_json(const Json& json, WorkspaceFolder& out, ReadContext& context) {
  ObjectReader(json, context).required("uri", out.uri).optional("name", out.name);
}

void read_json(const Json& json, InitializeParams& out, ReadContext& context) {
  ObjectReader(json, context)
      .optional("processId", out.process_id)
      .optional("rootUri", out.root_uri)
      .optional("rootPath", out.root_path)
      .optional("workspaceFolders", out.workspace_folders);
  if (const Json* client = member(json, "clientInfo")) {
    ObjectReader(*client, context)
        .optional("name", out.client_name)
        .optional("version", out.client_version);
  }
  if (const Json* capabilities = member(json, "capabilities")) {
    out.capabilities = read_capabilities(*capabilities);
  }
  // Some clients nest the settings below their section's name here too, some do not.
  if (const Json* options = member(json, "initializationOptions")) {
    const Json* nested = member(*options, "gprof");
    out.settings = read_settings(nested ? *nested : *options);
  }
}

void read_json(const Json& json, DidChangeWorkspaceFoldersParams& out, ReadContext& context) {
  const Json* event = member(json, "event");
  ObjectReader(event ? *event : json, context)
      .optional("added", out.added)
      .optional("removed", out.removed);
}

static Json write_capabilities(const ServerCapabilities& value) {
  Json json = {
      {"positionEncoding", encoding_name(value.position_encoding)},
      // 2: clients send the changed ranges.
      {"textDocumentSync", {{"openClose", true}, {"change", 2}, {"save", true}}},
      {"codeLensProvider", {{"resolveProvider", false}}},
      {"inlayHintProvider", true},
      {"hoverProvider", true},
      {"callHierarchyProvider", true},
      {"workspaceSymbolProvider", true},
      {"workspace", {{"workspaceFolders", {{"supported", true}, {"changeNotifications", true}}}}},
  };
  if (!value.commands.empty()) json["executeCommandProvider"] = {{"commands", value.commands}};
  if (value.experimental) json["experimental"] = write_json(*value.experimental);
  return json;
}

Json write_json(const InitializeResult& value) {
  return {{"capabilities", write_capabilities(value.capabilities)},
          {"serverInfo", {{"name", value.server_name}, {"version", value.server_version}}}};
}

}  // namespace gprof::lsp
