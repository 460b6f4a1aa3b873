#include "server/protocol/lifecycle.h"

#include <algorithm>
#include <initializer_list>

#include "server/protocol/conversions.h"

namespace gprof::lsp {
namespace {

// The value at the end of a path of member names; null if one is missing.
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

}  // namespace

void read_json(const Json& json, ClientCapabilities& result, ReadContext&) {
  result.position_encodings = strings(json, {"general", "positionEncodings"});
  result.work_done_progress = flag(json, {"window", "workDoneProgress"});
  result.show_document = flag(json, {"window", "showDocument", "support"});
  result.code_action_literals =
      find(json, {"textDocument", "codeAction", "codeActionLiteralSupport"}) != nullptr;
  result.workspace_configuration = flag(json, {"workspace", "configuration"});
  result.workspace_folders = flag(json, {"workspace", "workspaceFolders"});
  result.code_lens = find(json, {"textDocument", "codeLens"}) != nullptr;
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
  result.publish_diagnostics = find(json, {"textDocument", "publishDiagnostics"}) != nullptr;
  result.diagnostic_refresh = flag(json, {"workspace", "diagnostics", "refreshSupport"});
  // A client that pulls, but cannot be told to pull again, would never see what a later load says.
  result.pull_diagnostics = find(json, {"textDocument", "diagnostic"}) != nullptr &&
                            (result.diagnostic_refresh || !result.publish_diagnostics);
  result.diagnostic_versions = flag(json, {"textDocument", "publishDiagnostics", "versionSupport"});
  result.diagnostic_related =
      flag(json, {"textDocument", result.pull_diagnostics ? "diagnostic" : "publishDiagnostics",
                  "relatedInformation"});
  result.link_tooltips = flag(json, {"textDocument", "documentLink", "tooltipSupport"});
  result.text_document_content = find(json, {"workspace", "textDocumentContent"}) != nullptr;
  const auto formats = strings(json, {"textDocument", "hover", "contentFormat"});
  const auto known = std::find_if(formats.begin(), formats.end(), [](const std::string& format) {
    return format == "markdown" || format == "plaintext";
  });
  result.hover_markdown = known != formats.end() && *known == "markdown";
  result.gprof_decorations = flag(json, {"experimental", "gprof", "decorations"});
  result.gprof_status = flag(json, {"experimental", "gprof", "status"});
  result.gprof_tests = flag(json, {"experimental", "gprof", "tests"});
  if (const Json* gprof = find(json, {"experimental", "gprof"})) {
    result.gprof_extensions = gprof->is_object();
    ReadContext context;
    read_json(*gprof, result.experimental_gprof.emplace(), context);
  }
}

void read_json(const Json& json, InitializationOptions& out, ReadContext& context) {
  const Json* nested = member(json, "gprof");
  const Json& section = nested ? *nested : json;
  read_json(section, out.settings, context);
  const Json* token = member(section, "token");
  if (token && token->is_string()) out.token = token->get<std::string>();
}

PositionEncoding choose_encoding(const std::vector<std::string>& offered) {
  for (const std::string& name : offered) {
    if (const auto encoding = value_named<PositionEncoding>(name)) return *encoding;
  }
  return PositionEncoding::utf16;
}

}  // namespace gprof::lsp
