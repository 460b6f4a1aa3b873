#include "server/protocol/setting_value_reader.h"

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
  if (!value.is_object()) return wrong(row.name, "an object with executable and profiles");
  read_members(std::string(row.name), value, out.emplace());
  return true;
}

bool SettingValueReader::read(const SettingRow& row, const Json& value,
                              std::vector<ProgramSettings>& out) {
  if (!value.is_array()) return wrong(row.name, "a list of objects");
  for (std::size_t i = 0; i < value.size(); ++i) {
    read_program(fmt::format("{}[{}]", row.name, i), value[i], out.emplace_back());
    if (out.back().executable.empty()) out.pop_back();
  }
  return true;
}

bool SettingValueReader::read(const SettingRow& row, const Json& value,
                              std::vector<DerivedSetting>& out) {
  if (!value.is_array()) return wrong(row.name, "a list of objects with name and formula");
  for (std::size_t i = 0; i < value.size(); ++i) {
    const std::string entry = fmt::format("{}[{}]", row.name, i);
    if (!member(value[i], "name") || !member(value[i], "formula")) {
      wrong(entry, "an object with name and formula");
      continue;
    }
    DerivedSetting& derived = out.emplace_back();
    read_members(entry, value[i], derived);
    if (derived.name.empty() || derived.formula.empty()) out.pop_back();
  }
  return true;
}

void SettingValueReader::read_program(const std::string& program, const Json& value,
                                      ProgramSettings& out) {
  if (!value.is_object()) {
    wrong(program, "an object with executable and profiles");
    return;
  }
  read_members(program, value, out);
  if (!member(value, "executable")) wrong(program + ".executable", "set: it names the program");
}

template <typename Object>
void SettingValueReader::read_members(const std::string& object, const Json& value, Object& out) {
  for (const auto& entry : value.items()) {
    if (entry.value().is_null()) continue;
    const std::string name = fmt::format("{}.{}", object, entry.key());
    bool known = false;
    each_setting<Object>([&](const SettingRow& row, auto member) {
      if (row.name.substr(row.name.rfind('.') + 1) != entry.key()) return;
      known = true;
      read_member(name, entry.value(), out.*member);
    });
    if (!known) unknown(name);
  }
}

void SettingValueReader::read_member(const std::string& name, const Json& value,
                                     std::vector<PathMapping>& out) {
  if (!value.is_array()) {
    wrong(name, "a list of {\"from\": …, \"to\": …}");
    return;
  }
  for (std::size_t i = 0; i < value.size(); ++i) {
    const std::string entry = fmt::format("{}[{}]", name, i);
    if (!member(value[i], "from") || !member(value[i], "to")) {
      wrong(entry, "an object with from and to");
      continue;
    }
    PathMapping& mapping = out.emplace_back();
    read_members(entry, value[i], mapping);
    if (mapping.from.empty() || mapping.to.empty()) out.pop_back();
  }
}

void SettingValueReader::read_member(const std::string& name, const Json& value, std::string& out) {
  if (value.is_string() && !value.get_ref<const std::string&>().empty()) {
    out = value.get<std::string>();
  } else {
    wrong(name, "a string that is not empty");
  }
}

// One string stands for a list of one.
void SettingValueReader::read_member(const std::string& name, const Json& value,
                                     std::vector<std::string>& out) {
  if (value.is_string()) {
    out.push_back(value.get<std::string>());
    return;
  }
  if (!value.is_array()) {
    wrong(name, "a list of strings");
    return;
  }
  for (std::size_t i = 0; i < value.size(); ++i) {
    read_member(fmt::format("{}[{}]", name, i), value[i], out.emplace_back());
    if (out.back().empty()) out.pop_back();
  }
}

}  // namespace gprof::lsp
