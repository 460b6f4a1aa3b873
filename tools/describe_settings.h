// What settings say of themselves (settings_layer.h), as JSON for scripts/generate.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "server/protocol/description.h"
#include "server/protocol/enumeration.h"
#include "server/protocol/setting_row.h"

namespace gprof::lsp {

using OrderedJson = nlohmann::ordered_json;

template <typename T>
inline constexpr bool is_vector = false;
template <typename T>
inline constexpr bool is_vector<std::vector<T>> = true;

inline std::vector<std::string> parts_of(std::string_view text) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('|'), text.size());
    parts.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

// What the type of a setting of the server says of it: its type, its default, its values.
template <typename T>
void describe_value(OrderedJson& json, const SettingRow& row, const T& value) {
  json["clients"] = {"server", "vscode", "neovim"};
  if constexpr (NamedEnum<T>) {
    json["type"] = "string";
    json["default"] = name_of(value);
    for (const auto& [known, name] : wire_names<T>.values) json["values"].push_back(name);
    json["textsOfValues"] = parts_of(row.texts_of_values);
  } else if constexpr (is_vector<T> || is_optional<T>) {
    json["type"] = is_vector<T> ? "list" : "object";
    json["default"] = is_vector<T> ? OrderedJson::array() : OrderedJson();
  } else {
    json["type"] = std::is_same_v<T, bool>          ? "boolean"
                   : std::is_same_v<T, std::string> ? "string"
                   : std::is_integral_v<T>          ? "integer"
                                                    : "number";
    json["default"] = value;
  }
  if (!row.suggestions.empty()) {
    json["suggestions"] = parts_of(row.suggestions);
    json["textsOfValues"] = parts_of(row.texts_of_values);
    json["otherValues"] = row.other_values;
  }
}

inline void describe_editors(OrderedJson& json, const SettingRow& row) {
  json["clients"] = OrderedJson::array();
  for (const auto& [client, name] :
       {std::pair{SettingClients::vscode, "vscode"}, std::pair{SettingClients::neovim, "neovim"}}) {
    if (row.clients == client || row.clients == SettingClients::both) {
      json["clients"].push_back(name);
    }
  }
  json["type"] = row.type;
  if (!row.values.empty()) {
    json["values"] = parts_of(row.values);
    json["textsOfValues"] = parts_of(row.texts_of_values);
  }
  json["default"] = row.value.empty() ? OrderedJson() : OrderedJson::parse(row.value);
}

template <typename Settings>
OrderedJson describe_settings() {
  OrderedJson list = OrderedJson::array();
  Settings::rows([&](const SettingRow& row, auto... member) {
    OrderedJson json = {{"name", row.name}, {"text", row.text}};
    if constexpr (sizeof...(member) == 0) describe_editors(json, row);
    (describe_value(json, row, Settings().*member), ...);
    if (row.most > row.least) {
      json["least"] = row.least;
      json["most"] = row.most;
    }
    json["vscode"] = row.in_vscode;
    json["neovim"] = row.in_neovim;
    json["scope"] = row.scope;
    list.push_back(std::move(json));
  });
  return list;
}

}  // namespace gprof::lsp
