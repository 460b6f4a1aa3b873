// Prints the server's own messages and settings as JSON, from which scripts/generate makes types,
// tables and documentation for editors.
//
//   {"types": [{"name": "Range", "members": [{"name": "start", "type": "Position", "optional":
//   false,
//                                             "text": ""}]},
//              {"name": "Metric", "values": ["calls", …]}],
//    "settings": [{"name": "metric", "clients": ["server", "vscode", "neovim"], "type": "string",
//                  "default": "self", "values": ["calls", …], "text": "…"}]}
//
// Types of messages are in TypeScript notation.
#include <algorithm>
#include <cstdio>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "server/protocol/conversions.h"
#include "server/protocol/extension_messages.h"
#include "server/protocol/run_summary.h"
#include "server/protocol/settings_table.h"

namespace {

using namespace gprof::lsp;
using OrderedJson = nlohmann::ordered_json;

template <typename T>
inline constexpr bool is_vector = false;
template <typename T>
inline constexpr bool is_vector<std::vector<T>> = true;

// The documented name of a structure, or its own name as the compiler prints it.
template <typename T>
std::string name_of_type() {
  if constexpr (requires { T::documented_as; }) return T::documented_as;
  const std::string_view signature = __PRETTY_FUNCTION__;
  const std::size_t begin = signature.find("T = ") + 4;
  const std::string_view type =
      signature.substr(begin, signature.find_first_of(";]", begin) - begin);
  return std::string(type.substr(type.rfind(':') + 1));
}

// The requested types, and all types that they consist of.
class Types {
 public:
  template <typename T>
  std::string text();

  [[nodiscard]] const OrderedJson& list() const { return list_; }

 private:
  template <typename T>
  std::string add_structure();
  template <NamedEnum T>
  std::string add_enumeration();

  std::set<std::string> known_;
  OrderedJson list_ = OrderedJson::array();
};

// Visits a description.
class MemberLister {
 public:
  explicit MemberLister(Types& types) : types_(types) {}

  [[nodiscard]] OrderedJson take() { return std::move(members_); }

  template <typename T>
  void operator()(const char* name, const T&, const char* text = "") {
    add(name, types_.text<T>(), is_optional<T>, text);
  }
  template <typename T>
  void optional(const char* name, const T&, const char* text = "") {
    add(name, types_.text<T>(), true, text);
  }
  template <typename T>
  void optional_true(const char* name, const T& member, const char* text = "") {
    optional(name, member, text);
  }
  template <typename T>
  void nullable(const char* name, const T&, const char* text = "") {
    add(name, types_.text<T>() + " | null", false, text);
  }
  template <typename T>
  void uri(const char* name, const T&, const char* text = "") {
    add(name, "DocumentUri", is_optional<T>, text);
  }
  template <typename T>
  void part(const std::optional<T>&) {
    MemberLister lister(types_);
    const T value{};
    T::fields(lister, value);
    for (OrderedJson& member : lister.members_) {
      member["optional"] = true;
      members_.push_back(std::move(member));
    }
  }
  void expect(bool, std::string_view) {}

 private:
  void add(const char* name, const std::string& type, bool optional, const char* text) {
    members_.push_back({{"name", name}, {"type", type}, {"optional", optional}, {"text", text}});
  }

  Types& types_;
  OrderedJson members_ = OrderedJson::array();
};

template <typename T>
std::string Types::text() {
  if constexpr (is_optional<T>) {
    return text<typename T::value_type>();
  } else if constexpr (is_vector<T>) {
    return text<typename T::value_type>() + "[]";
  } else if constexpr (Described<T>) {
    return add_structure<T>();
  } else if constexpr (NamedEnum<T>) {
    return add_enumeration<T>();
  } else if constexpr (std::is_same_v<T, bool>) {
    return "boolean";
  } else if constexpr (std::is_integral_v<T>) {
    return "integer";
  } else if constexpr (std::is_floating_point_v<T>) {
    return "number";
  } else {
    static_assert(std::is_same_v<T, std::string>);
    return "string";
  }
}

template <typename T>
std::string Types::add_structure() {
  std::string name = name_of_type<T>();
  if (known_.insert(name).second) {
    const std::size_t place = list_.size();
    list_.push_back({{"name", name}});
    MemberLister lister(*this);
    const T value{};
    T::fields(lister, value);
    list_[place]["members"] = lister.take();
  }
  return name;
}

template <NamedEnum T>
std::string Types::add_enumeration() {
  const auto& names = wire_names<T>;
  std::vector<std::string> values;
  std::string alternatives;
  for (const auto& [value, name] : names.values) {
    values.emplace_back(name);
    alternatives += alternatives.empty() ? "\"" : " | \"";
    alternatives.append(name).append("\"");
  }
  if (names.type.empty()) return alternatives;
  std::string type(names.type);
  if (known_.insert(type).second) list_.push_back({{"name", type}, {"values", values}});
  return type;
}

void add_all_messages(Types& types) {
  types.text<ServerExtensions>();
  types.text<ClientExtensions>();
  std::apply(
      [&](const auto&... request) {
        ((types.text<typename std::remove_cvref_t<decltype(request)>::Params>(),
          types.text<typename std::remove_cvref_t<decltype(request)>::Result>()),
         ...);
      },
      extension_requests);
  std::apply(
      [&](const auto&... notification) {
        (types.text<typename std::remove_cvref_t<decltype(notification)>::Params>(), ...);
      },
      extension_notifications);
  types.text<ExportArgument>();
  types.text<ExportedText>();
  types.text<ExportedFile>();
  types.text<LoadArgument>();
  types.text<CompareArgument>();
  types.text<SelectArgument>();
  types.text<PlaceArgument>();
  types.text<ShownReport>();
  types.text<RunSummary>();
}

std::vector<std::string> parts_of(std::string_view text) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('|'), text.size());
    parts.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

// What the type of a setting of the server says of it: its type, its default, its range or values.
template <typename T, typename Kept>
void describe_slot(OrderedJson& json, const SettingRow& row, const SettingSlot<T, Kept>& slot) {
  const T value = [&] {
    if constexpr (is_optional<Kept>) return (ClientSettings().*slot.in_settings).value_or(T());
    if constexpr (!is_optional<Kept>) return ClientSettings().*slot.in_settings;
  }();
  json["clients"] = {"server", "vscode", "neovim"};
  if constexpr (NamedEnum<T>) {
    json["type"] = "string";
    json["default"] = name_of(value);
    for (const auto& [known, name] : wire_names<T>.values) json["values"].push_back(name);
    json["textsOfValues"] = parts_of(row.texts_of_values);
  } else if constexpr (std::is_arithmetic_v<T>) {
    json["type"] = std::is_same_v<T, bool> ? "boolean" : "number";
    json["default"] = value;
  } else {
    json["type"] = is_vector<T> ? "list" : "object";
    json["default"] = is_vector<T> ? OrderedJson::array() : OrderedJson();
  }
}

void describe_slot(OrderedJson& json, const SettingRow& row, std::monostate) {
  json["clients"] = OrderedJson::array();
  for (const auto& [client, name] :
       {std::pair{SettingClients::vscode, "vscode"}, std::pair{SettingClients::neovim, "neovim"}}) {
    if (row.clients == client || row.clients == SettingClients::both) {
      json["clients"].push_back(name);
    }
  }
  json["type"] = row.type;
  json["default"] = row.value.empty() ? OrderedJson() : OrderedJson::parse(row.value);
}

OrderedJson all_settings() {
  OrderedJson list = OrderedJson::array();
  for (const SettingRow& row : settings_table()) {
    OrderedJson json = {{"name", row.name}, {"text", row.text}};
    std::visit([&](const auto& slot) { describe_slot(json, row, slot); }, row.slot);
    if (row.most > row.least) {
      json["least"] = row.least;
      json["most"] = row.most;
    }
    json["vscode"] = row.in_vscode;
    json["neovim"] = row.in_neovim;
    json["scope"] = row.scope;
    list.push_back(std::move(json));
  }
  return list;
}

}  // namespace

int main() {
  Types types;
  add_all_messages(types);
  const OrderedJson description = {{"types", types.list()}, {"settings", all_settings()}};
  std::puts(description.dump().c_str());
  return 0;
}
