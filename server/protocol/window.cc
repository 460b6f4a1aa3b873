#include "server/protocol/window.h"

#include "server/protocol/conversions.h"

namespace gprof::lsp {

void read_json(const Json& json, ShowMessageChoice& out, ReadContext& context) {
  if (json.is_null()) return;
  ObjectReader(json, context)("title", out.title.emplace());
}

void read_json(const Json& json, ConfigurationResult& out, ReadContext& context) {
  if (!json.is_array() || json.size() != 1) return context.fail("an array of one element");
  read_json(json[0], out.settings, context);
}

void read_json(const Json& json, DidChangeConfigurationParams& out, ReadContext& context) {
  if (!json.is_object()) return context.fail("an object");
  const Json* settings = member(json, "settings");
  if (!settings) return;
  const Json* section = member(*settings, "gprof");
  // Other members are other servers' sections, unless the client sent ours bare.
  if (section) read_json(*section, out.settings.emplace(), context);
}

}  // namespace gprof::lsp
