// A value of a fixed set, by the name that users give it.
#pragma once

#include <algorithm>
#include <string_view>
#include <vector>

#include "server/protocol/enumeration.h"

namespace gprof::lsp {

template <typename Value>
struct NamedValue {
  std::string_view name;
  Value value;
  std::string_view help = {};  // empty: the text around it is enough
};

// The name of a value in the table.
template <typename Table, typename Value>
[[nodiscard]] std::string_view name_in(const Table& table, Value value) {
  return std::ranges::find(table, value, &NamedValue<Value>::value)->name;
}

// By the names used in messages; help_of(value) describes each to users.
template <NamedEnum Enum, typename HelpOf>
[[nodiscard]] std::vector<NamedValue<Enum>> named_values(const HelpOf& help_of) {
  std::vector<NamedValue<Enum>> values;
  for (const auto& [value, name] : wire_names<Enum>.values) {
    values.push_back({name, value, help_of(value)});
  }
  return values;
}
template <NamedEnum Enum>
[[nodiscard]] std::vector<NamedValue<Enum>> named_values() {
  return named_values<Enum>([](Enum) { return std::string_view(); });
}

}  // namespace gprof::lsp
