#include "server/protocol/settings.h"

#include "server/protocol/conversions.h"
#include "server/protocol/settings_reader.h"

namespace gprof::lsp {

ClientSettings merge_settings(std::span<const SettingsLayer> layers) {
  ClientSettings settings;
  for (const SettingsLayer& layer : layers) layer.apply_to(settings);
  return settings;
}

std::optional<BaseSettings> active_base(const ClientSettings& settings) {
  const auto& base = settings.base;
  return base && base->executable.empty() && base->profiles.empty() ? std::nullopt : base;
}

void read_json(const Json& json, SettingsLayer& out, ReadContext&) {
  out = SettingsLayer();
  SettingsReader(out).read_section(json);
}

Expected<SettingsLayer> parse_settings_text(std::string_view text, const std::string& path) {
  auto json = parse_json(text);
  if (!json || !json->is_object()) {
    return Error{ErrorCode::wrong_format,
                 "expected a JSON object with settings, e.g. {\"programs\": [{\"executable\": "
                 "\"a.out\", \"profiles\": [\"gmon.out\"]}]}",
                 path,
                 {}};
  }
  const Json* nested = member(*json, "gprof");
  SettingsLayer layer;
  SettingsReader(layer).read_section(nested ? *nested : *json);
  return layer;
}

}  // namespace gprof::lsp
