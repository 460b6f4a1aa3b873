#include "server/protocol/settings.h"

#include <utility>

#include <fmt/format.h>

#include "server/protocol/conversions.h"

namespace gprof::lsp {
namespace {

// Walks an object's members and hands each to the one that knows its name. Problems are collected
// in the layer, with the setting's full name.
class SettingsReader {
 public:
  explicit SettingsReader(SettingsLayer& layer) : layer_(layer) {}

  void read_section(const Json& json);

 private:
  void read_setting(const std::string& name, const Json& value);
  void read_group(const std::string& group, const Json& value);
  void read_base(const Json& value);
  void read_programs(const Json& value);
  ProgramSettings read_program(const std::string& name, const Json& value);
  std::vector<PathMapping> read_path_map(const std::string& name, const Json& value);
  std::string read_string(const std::string& name, const Json& value);
  std::vector<std::string> read_strings(const std::string& name, const Json& value);
  void read_bool(const std::string& name, const Json& value, std::optional<bool>& out);
  void read_threshold(const std::string& name, const Json& value);
  template <NamedEnum Enum>
  void read_name(const std::string& name, const Json& value, std::optional<Enum>& out);

  void unknown(const std::string& name) {
    layer_.problems.push_back(fmt::format("gprof.{} is no setting of this server", name));
  }
  void wrong(const std::string& name, std::string_view expected) {
    layer_.problems.push_back(fmt::format("gprof.{} must be {}", name, expected));
  }

  SettingsLayer& layer_;
};

void SettingsReader::read_section(const Json& json) {
  if (json.is_null()) return;
  if (!json.is_object()) {
    layer_.problems.push_back("the section gprof must be an object");
    return;
  }
  for (const auto& [name, value] : json.items()) {
    // Clients send null for what the user has not set.
    if (!value.is_null()) read_setting(name, value);
  }
}

void SettingsReader::read_setting(const std::string& name, const Json& value) {
  if (name == "programs") return read_programs(value);
  if (name == "base") return read_base(value);
  if (name == "metric") return read_name(name, value, layer_.metric);
  if (name == "threshold") return read_threshold(name, value);
  if (name == "demangle") return read_bool(name, value, layer_.demangle);
  if (name == "inlinedAtCalls") return read_bool(name, value, layer_.inlined_at_calls);
  if (name == "logLevel") return read_name(name, value, layer_.log_level);
  if (name == "codeLens" || name == "inlayHints" || name == "diagnostics") {
    return read_group(name, value);
  }
  if (name == "codeLens.enable") return read_bool(name, value, layer_.code_lens);
  if (name == "inlayHints.enable") return read_bool(name, value, layer_.inlay_hints);
  if (name == "diagnostics.enable") return read_bool(name, value, layer_.diagnostics);
  // No setting, but what stands beside them in `initialize`; clients send both from one place.
  if (name == "token") return;
  unknown(name);
}

// `{"codeLens": {"enable": true}}` says the same as `{"codeLens.enable": true}`.
void SettingsReader::read_group(const std::string& group, const Json& value) {
  if (!value.is_object()) return wrong(group, "an object such as {\"enable\": true}");
  for (const auto& [name, setting] : value.items()) {
    if (name != "enable") {
      unknown(fmt::format("{}.{}", group, name));
    } else if (!setting.is_null()) {
      read_setting(fmt::format("{}.enable", group), setting);
    }
  }
}

void SettingsReader::read_base(const Json& value) {
  if (!value.is_object()) return wrong("base", "an object with executable and profiles");
  BaseSettings base;
  for (const auto& [name, setting] : value.items()) {
    const std::string full = fmt::format("base.{}", name);
    if (setting.is_null()) continue;
    if (name == "executable") {
      base.executable = read_string(full, setting);
    } else if (name == "profiles") {
      base.profiles = read_strings(full, setting);
    } else {
      unknown(full);
    }
  }
  layer_.base = std::move(base);
}

void SettingsReader::read_programs(const Json& value) {
  if (!value.is_array()) return wrong("programs", "a list of objects");
  auto& programs = layer_.programs.emplace();
  for (std::size_t i = 0; i < value.size(); ++i) {
    programs.push_back(read_program(fmt::format("programs[{}]", i), value[i]));
    if (programs.back().executable.empty()) programs.pop_back();
  }
}

ProgramSettings SettingsReader::read_program(const std::string& program, const Json& value) {
  ProgramSettings result;
  if (!value.is_object()) {
    wrong(program, "an object with executable and profiles");
    return result;
  }
  for (const auto& [name, setting] : value.items()) {
    const std::string full = fmt::format("{}.{}", program, name);
    if (setting.is_null()) continue;
    if (name == "executable") {
      result.executable = read_string(full, setting);
    } else if (name == "profiles") {
      result.profiles = read_strings(full, setting);
    } else if (name == "libraries") {
      result.libraries = read_strings(full, setting);
    } else if (name == "pathMap") {
      result.path_map = read_path_map(full, setting);
    } else {
      unknown(full);
    }
  }
  if (!member(value, "executable")) wrong(program + ".executable", "set: it names the program");
  return result;
}

std::vector<PathMapping> SettingsReader::read_path_map(const std::string& name, const Json& value) {
  std::vector<PathMapping> result;
  if (!value.is_array()) {
    wrong(name, "a list of {\"from\": …, \"to\": …}");
    return result;
  }
  for (std::size_t i = 0; i < value.size(); ++i) {
    const std::string entry = fmt::format("{}[{}]", name, i);
    const Json* from = member(value[i], "from");
    const Json* to = member(value[i], "to");
    if (!from || !to) {
      wrong(entry, "an object with from and to");
      continue;
    }
    PathMapping mapping{read_string(entry + ".from", *from), read_string(entry + ".to", *to)};
    for (const auto& [key, setting] : value[i].items()) {
      if (key != "from" && key != "to") unknown(fmt::format("{}.{}", entry, key));
    }
    if (!mapping.from.empty() && !mapping.to.empty()) result.push_back(std::move(mapping));
  }
  return result;
}

std::string SettingsReader::read_string(const std::string& name, const Json& value) {
  if (value.is_string() && !value.get_ref<const std::string&>().empty()) {
    return value.get<std::string>();
  }
  wrong(name, "a string that is not empty");
  return {};
}

// One string stands for a list of one.
std::vector<std::string> SettingsReader::read_strings(const std::string& name, const Json& value) {
  std::vector<std::string> result;
  if (value.is_string()) {
    result.push_back(value.get<std::string>());
    return result;
  }
  if (!value.is_array()) {
    wrong(name, "a list of strings");
    return result;
  }
  for (std::size_t i = 0; i < value.size(); ++i) {
    std::string text = read_string(fmt::format("{}[{}]", name, i), value[i]);
    if (!text.empty()) result.push_back(std::move(text));
  }
  return result;
}

void SettingsReader::read_bool(const std::string& name, const Json& value,
                               std::optional<bool>& out) {
  if (!value.is_boolean()) return wrong(name, "true or false");
  out = value.get<bool>();
}

void SettingsReader::read_threshold(const std::string& name, const Json& value) {
  if (value.is_number()) {
    const double share = value.get<double>();
    if (share >= 0 && share <= 1) {
      layer_.threshold = share;
      return;
    }
  }
  wrong(name, "a share from 0 to 1, e.g. 0.005");
}

template <NamedEnum Enum>
void SettingsReader::read_name(const std::string& name, const Json& value,
                               std::optional<Enum>& out) {
  if (value.is_string()) {
    if (const auto known = value_named<Enum>(value.get_ref<const std::string&>())) {
      out = known;
      return;
    }
  }
  wrong(name, fmt::format("one of {}", list_of_names<Enum>()));
}

template <typename T>
void lay_over(const std::optional<T>& layer, T& settings) {
  if (layer) settings = *layer;
}

}  // namespace

ClientSettings merge_settings(std::span<const SettingsLayer> layers) {
  ClientSettings settings;
  for (const SettingsLayer& layer : layers) {
    lay_over(layer.programs, settings.programs);
    if (layer.base) settings.base = layer.base;
    lay_over(layer.metric, settings.metric);
    lay_over(layer.threshold, settings.threshold);
    lay_over(layer.code_lens, settings.code_lens);
    lay_over(layer.inlay_hints, settings.inlay_hints);
    lay_over(layer.diagnostics, settings.diagnostics);
    lay_over(layer.demangle, settings.demangle);
    lay_over(layer.inlined_at_calls, settings.inlined_at_calls);
    lay_over(layer.log_level, settings.log_level);
  }
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
