#include "server/protocol/setting_value_reader.h"

#include <utility>

#include <fmt/format.h>

namespace gprof::lsp {

void SettingValueReader::unknown(std::string_view name) {
  problems_.push_back(fmt::format("gprof.{} is no setting of this server", name));
}

bool SettingValueReader::wrong(std::string_view name, std::string_view expected) {
  problems_.push_back(fmt::format("gprof.{} must be {}", name, expected));
  return false;
}

bool SettingValueReader::read(const SettingRow& row, const Json& value,
                              std::optional<BaseSettings>& out) {
  const std::string base(row.name);
  if (!value.is_object()) return wrong(base, "an object with executable and profiles");
  out.emplace();
  for (const auto& [name, setting] : value.items()) {
    const std::string full = fmt::format("{}.{}", base, name);
    if (setting.is_null()) continue;
    if (name == "executable") {
      out->executable = read_string(full, setting);
    } else if (name == "profiles") {
      out->profiles = read_strings(full, setting);
    } else {
      unknown(full);
    }
  }
  return true;
}

bool SettingValueReader::read(const SettingRow& row, const Json& value,
                              std::vector<ProgramSettings>& out) {
  if (!value.is_array()) return wrong(row.name, "a list of objects");
  for (std::size_t i = 0; i < value.size(); ++i) {
    out.push_back(read_program(fmt::format("{}[{}]", row.name, i), value[i]));
    if (out.back().executable.empty()) out.pop_back();
  }
  return true;
}

ProgramSettings SettingValueReader::read_program(const std::string& program, const Json& value) {
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

std::vector<PathMapping> SettingValueReader::read_path_map(const std::string& name,
                                                           const Json& value) {
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

std::string SettingValueReader::read_string(const std::string& name, const Json& value) {
  if (value.is_string() && !value.get_ref<const std::string&>().empty()) {
    return value.get<std::string>();
  }
  wrong(name, "a string that is not empty");
  return {};
}

// One string stands for a list of one.
std::vector<std::string> SettingValueReader::read_strings(const std::string& name,
                                                          const Json& value) {
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

}  // namespace gprof::lsp
