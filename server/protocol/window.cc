#include "server/protocol/window.h"

#include "server/protocol/conversions.h"

namespace gprof::lsp {
namespace {

Json registration(const std::string& id, const char* method, Json options) {
  return {
      {"registrations",
       Json::array({{{"id", id}, {"method", method}, {"registerOptions", std::move(options)}}})}};
}

}  // namespace

Json write_json(const ShowMessageParams& value) {
  return {{"type", static_cast<int>(value.severity)}, {"message", value.message}};
}

Json write_json(const LogMessageParams& value) {
  return {{"type", static_cast<int>(value.severity)}, {"message", value.message}};
}

Json write_json(const ShowDocumentParams& value) {
  Json json = {{"uri", value.uri}, {"takeFocus", value.take_focus}};
  if (value.selection) json["selection"] = write_json(*value.selection);
  return json;
}

Json write_json(const WorkDoneProgressCreateParams& value) { return {{"token", value.token}}; }

Json write_json(const WorkDoneProgressBegin& value) {
  Json json = {{"kind", "begin"}, {"title", value.title}, {"cancellable", value.cancellable}};
  if (value.percentage) json["percentage"] = *value.percentage;
  return json;
}

Json write_json(const WorkDoneProgressReport& value) {
  Json json = {{"kind", "report"}};
  if (!value.message.empty()) json["message"] = value.message;
  if (value.percentage) json["percentage"] = *value.percentage;
  return json;
}

Json write_json(const WorkDoneProgressEnd& value) {
  Json json = {{"kind", "end"}};
  if (!value.message.empty()) json["message"] = value.message;
  return json;
}

Json write_json(const ConfigurationParams& value) {
  return {{"items", Json::array({{{"section", value.section}}})}};
}

Json write_json(const RegisterWatchedFilesParams& value) {
  Json watchers = Json::array();
  for (const WatchedPattern& watched : value.patterns) {
    if (watched.base.empty()) {
      watchers.push_back({{"globPattern", watched.pattern}});
    } else {
      watchers.push_back(
          {{"globPattern", {{"baseUri", watched.base}, {"pattern", watched.pattern}}}});
    }
  }
  return registration(value.id, "workspace/didChangeWatchedFiles", {{"watchers", watchers}});
}

Json write_json(const RegisterConfigurationParams& value) {
  return registration(value.id, "workspace/didChangeConfiguration", {{"section", value.section}});
}

Json write_json(const RegisterForSchemeParams& value) {
  Json registrations = Json::array();
  for (const std::string& method : value.methods) {
    registrations.push_back(
        {{"id", "gprof-lsp/" + method},
         {"method", method},
         {"registerOptions", {{"documentSelector", Json::array({{{"scheme", value.scheme}}})}}}});
  }
  return {{"registrations", std::move(registrations)}};
}

Json write_json(const TextDocumentContentRefreshParams& value) { return {{"uri", value.uri}}; }

Json write_json(const ShowMessageRequestParams& value) {
  Json actions = Json::array();
  for (const std::string& choice : value.choices) actions.push_back({{"title", choice}});
  return {{"type", static_cast<int>(value.severity)},
          {"message", value.message},
          {"actions", std::move(actions)}};
}

void read_json(const Json& json, ShowMessageChoice& out, ReadContext& context) {
  if (json.is_null()) return;
  ObjectReader(json, context).required("title", out.title.emplace());
}

void read_json(const Json& json, WorkDoneProgressCancelParams& out, ReadContext&) {
  const Json* token = member(json, "token");
  if (token != nullptr && token->is_string()) out.token = token->get<std::string>();
}

Json write_json(const UnregisterParams& value) {
  // The protocol's own spelling of the member.
  return {{"unregisterations", Json::array({{{"id", value.id}, {"method", value.method}}})}};
}

void read_json(const Json& json, ConfigurationResult& out, ReadContext& context) {
  if (!json.is_array() || json.size() != 1) return context.fail("an array of one element");
  out.settings = read_settings(json[0]);
}

void read_json(const Json& json, DidChangeConfigurationParams& out, ReadContext& context) {
  if (!json.is_object()) return context.fail("an object");
  const Json* settings = member(json, "settings");
  if (!settings) return;
  const Json* section = member(*settings, "gprof");
  // Other members are other servers' sections, unless the client sent ours bare.
  if (section) out.settings = read_settings(*section);
}

}  // namespace gprof::lsp
