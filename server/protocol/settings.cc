#include "server/protocol/settings.h"

#include <type_traits>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "server/protocol/conversions.h"
#include "server/protocol/settings_table.h"

namespace gprof::lsp {
namespace {

template <typename T>
std::string expected(const SettingRow& row) {
  if constexpr (NamedEnum<T>) return fmt::format("one of {}", list_of_names<T>());
  if constexpr (std::is_same_v<T, bool>) return "true or false";
  return fmt::format("a number from {} to {}", row.least, row.most);
}

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
  // A row without a slot is no setting of the server.
  void read_slot(const SettingRow&, std::monostate, const Json&) {}
  void read_slot(const SettingRow&, const ProgramsSlot&, const Json& value) {
    read_programs(value);
  }
  void read_slot(const SettingRow&, const BaseSlot&, const Json& value) { read_base(value); }
  template <typename T>
  void read_slot(const SettingRow& row, const SettingSlot<T>& slot, const Json& value);

  void unknown(const std::string& name) {
    layer_.problems.push_back(fmt::format("gprof.{} is no setting of this server", name));
  }
  void wrong(std::string_view name, std::string_view expected) {
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
  const auto is_of_server = [](const SettingRow& row) { return row.slot.index() != 0; };
  for (const SettingRow& row : settings_table()) {
    if (!is_of_server(row)) continue;
    if (row.name == name) {
      return std::visit([&](const auto& slot) { read_slot(row, slot, value); }, row.slot);
    }
    if (row.name.starts_with(name + ".")) return read_group(name, value);
  }
  // No setting, but what stands beside them in `initialize`; clients send both from one place.
  if (name == "token") return;
  unknown(name);
}

// `{"codeLens": {"enable": true}}` says the same as `{"codeLens.enable": true}`.
void SettingsReader::read_group(const std::string& group, const Json& value) {
  if (!value.is_object()) return wrong(group, "an object such as {\"enable\": true}");
  for (const auto& [name, setting] : value.items()) {
    if (!setting.is_null()) read_setting(fmt::format("{}.{}", group, name), setting);
  }
}

template <typename T>
void SettingsReader::read_slot(const SettingRow& row, const SettingSlot<T>& slot,
                               const Json& value) {
  T read{};
  ReadContext context;
  read_json(value, read, context);
  if constexpr (std::is_same_v<T, double>) {
    if (read < row.least || read > row.most) context.fail("a number in the range");
  }
  if (context.failed()) return wrong(row.name, expected<T>(row));
  layer_.*slot.in_layer = read;
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

}  // namespace

ClientSettings merge_settings(std::span<const SettingsLayer> layers) {
  ClientSettings settings;
  for (const SettingsLayer& layer : layers) {
    for (const SettingRow& row : settings_table()) {
      std::visit(
          [&](const auto& slot) {
            if constexpr (requires { slot.in_layer; }) {
              if (const auto& value = layer.*slot.in_layer) settings.*slot.in_settings = *value;
            }
          },
          row.slot);
    }
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
