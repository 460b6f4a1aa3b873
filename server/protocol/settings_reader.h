// Reads a layer of settings from a section of JSON, by what the settings say of themselves
// (settings_layer.h). Thread contract: one thread.
#pragma once

#include <string>
#include <utility>

#include <fmt/format.h>

#include "server/protocol/json_reader.h"
#include "server/protocol/setting_value_reader.h"
#include "server/protocol/settings_layer.h"

namespace gprof::lsp {

template <typename Settings>
class SettingsReader {
 public:
  // Ownership: borrows the layer.
  explicit SettingsReader(SettingsLayerOf<Settings>& layer)
      : layer_(layer), values_(layer.problems) {}

  // Null is an empty section.
  void read_section(const Json& json) {
    if (json.is_null()) return;
    if (!json.is_object()) return layer_.problems.push_back("the section gprof must be an object");
    for (const auto& [name, value] : json.items()) read_setting(name, value);
  }

 private:
  void read_setting(const std::string& name, const Json& value);

  template <typename T>
  void read_value(const SettingRow& row, T Settings::*member, const Json& value) {
    T read{};
    if (values_.read(row, value, read)) layer_.set(member, std::move(read));
  }

  // `{"codeLens": {"enable": true}}` says the same as `{"codeLens.enable": true}`.
  void read_group(const std::string& group, const Json& value) {
    if (!value.is_object()) {
      values_.wrong(group, "an object such as {\"enable\": true}");
      return;
    }
    for (const auto& [name, setting] : value.items()) {
      read_setting(fmt::format("{}.{}", group, name), setting);
    }
  }

  SettingsLayerOf<Settings>& layer_;
  SettingValueReader values_;
};

template <typename Settings>
void SettingsReader<Settings>::read_setting(const std::string& name, const Json& value) {
  // Clients send null for what the user has not set.
  if (value.is_null()) return;
  bool known = false;
  each_setting<Settings>([&](const SettingRow& row, auto member) {
    const bool is_group = row.name.starts_with(name + ".");
    if (known || (row.name != name && !is_group)) return;
    known = true;
    if (is_group) return read_group(name, value);
    read_value(row, member, value);
  });
  // No setting, but what stands beside them in `initialize`; clients send both from one place.
  if (!known && name != "token") values_.unknown(name);
}

}  // namespace gprof::lsp
