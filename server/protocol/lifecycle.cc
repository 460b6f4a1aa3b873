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

bool holds(const std::vector<std::string>& list, std::string_view word) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

TraceLevel trace_level(const Json* value) {
  if (value == nullptr || !value->is_string()) return TraceLevel::off;
  const auto& name = value->get_ref<const std::string&>();
  return name == "verbose"    ? TraceLevel::verbose
         : name == "messages" ? TraceLevel::messages
                              : TraceLevel::off;
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
  result.relative_patterns =
      flag(json, {"workspace", "didChangeWatchedFiles", "relativePatternSupport"});
  result.register_document_link =
      flag(json, {"textDocument", "documentLink", "dynamicRegistration"});
  result.register_folding_range =
      flag(json, {"textDocument", "foldingRange", "dynamicRegistration"});
  result.register_definition = flag(json, {"textDocument", "definition", "dynamicRegistration"});
  result.show_message_request = find(json, {"window", "showMessage"}) != nullptr;
  result.lens_resolves_command =
      holds(strings(json, {"textDocument", "codeLens", "resolveSupport", "properties"}), "command");
  result.hint_resolves =
      strings(json, {"textDocument", "inlayHint", "resolveSupport", "properties"});
  result.pull_diagnostics = find(json, {"textDocument", "diagnostic"}) != nullptr;
  result.publish_diagnostics = find(json, {"textDocument", "publishDiagnostics"}) != nullptr;
  result.diagnostic_versions = flag(json, {"textDocument", "publishDiagnostics", "versionSupport"});
  result.diagnostic_refresh = flag(json, {"workspace", "diagnostics", "refreshSupport"});
  result.link_tooltips = flag(json, {"textDocument", "documentLink", "tooltipSupport"});
  result.text_document_content = find(json, {"workspace", "textDocumentContent"}) != nullptr;
  const auto formats = strings(json, {"textDocument", "hover", "contentFormat"});
  const auto known = std::find_if(formats.begin(), formats.end(), [](const std::string& format) {
    return format == "markdown" || format == "plaintext";
  });
  result.hover_markdown = known != formats.end() && *known == "markdown";
  result.gprof_decorations = flag(json, {"experimental", "gprof", "decorations"});
  if (const Json* gprof = find(json, {"experimental", "gprof"})) {
    result.gprof_extensions = gprof->is_object();
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
  out.trace = trace_level(member(json, "trace"));
  // Some clients nest the settings below their section's name here too, some do not.
  if (const Json* options = member(json, "initializationOptions")) {
    const Json* nested = member(*options, "gprof");
    const Json& section = nested ? *nested : *options;
    out.settings = read_settings(section);
    const Json* token = member(section, "token");
    if (token && token->is_string()) out.token = token->get<std::string>();
  }
}

void read_json(const Json& json, SetTraceParams& out, ReadContext& context) {
  const Json* value = member(json, "value");
  if (value == nullptr || !value->is_string())
    return context.fail("an object with the member value");
  out.value = trace_level(value);
}

Json write_json(const LogTraceParams& value) {
  Json json = {{"message", value.message}};
  if (!value.verbose.empty()) json["verbose"] = value.verbose;
  return json;
}

void read_json(const Json& json, DidChangeWorkspaceFoldersParams& out, ReadContext& context) {
  const Json* event = member(json, "event");
  ObjectReader(event ? *event : json, context)
      .optional("added", out.added)
      .optional("removed", out.removed);
}

static Json write_workspace_capabilities(const ServerCapabilities& value) {
  Json json = {{"workspaceFolders", {{"supported", true}, {"changeNotifications", true}}}};
  if (!value.content_scheme.empty()) {
    json["textDocumentContent"] = {{"schemes", Json::array({value.content_scheme})}};
  }
  return json;
}

static Json write_capabilities(const ServerCapabilities& value) {
  Json json = {
      {"positionEncoding", encoding_name(value.position_encoding)},
      // 2: clients send the changed ranges.
      {"textDocumentSync", {{"openClose", true}, {"change", 2}, {"save", true}}},
      {"codeLensProvider", {{"resolveProvider", true}}},
      {"inlayHintProvider", {{"resolveProvider", true}}},
      {"hoverProvider", true},
      {"callHierarchyProvider", true},
      {"referencesProvider", true},
      {"workspaceSymbolProvider", true},
      {"workspace", write_workspace_capabilities(value)},
  };
  if (!value.commands.empty()) json["executeCommandProvider"] = {{"commands", value.commands}};
  if (value.pull_diagnostics) {
    json["diagnosticProvider"] = {
        {"identifier", "gprof"}, {"interFileDependencies", false}, {"workspaceDiagnostics", false}};
  }
  if (value.document_link) json["documentLinkProvider"] = {{"resolveProvider", false}};
  if (value.folding_range) json["foldingRangeProvider"] = true;
  if (value.definition) json["definitionProvider"] = true;
  if (value.experimental) json["experimental"] = write_json(*value.experimental);
  return json;
}

Json write_json(const InitializeResult& value) {
  return {{"capabilities", write_capabilities(value.capabilities)},
          {"serverInfo", {{"name", value.server_name}, {"version", value.server_version}}}};
}

}  // namespace gprof::lsp
