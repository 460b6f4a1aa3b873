// Prints the server's own messages and settings as JSON, from which scripts/generate makes types,
// tables and documentation for editors.
//
//   {"types": [{"name": "Range", "members": [{"name": "start", "type": "Position", "optional":
//   false,
//                                             "text": ""}]},
//              {"name": "Verdict", "values": ["noise", …]}],
//    "settings": [{"name": "logLevel", "clients": ["server", "vscode", "neovim"], "type": "string",
//                  "default": "warning", "values": ["off", …], "text": "…"}],
//    "tools": [{"name": "hot_spots", "title": "…", "description": "…", "reads": true, "input":
//    {…}}]}
//
// Types of messages are in TypeScript notation.
#include <cstdio>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "server/protocol/conversions.h"
#include "server/protocol/extension_messages.h"
#include "server/protocol/run_summary.h"
#include "server/protocol/settings.h"
#include "server/query/tool.h"
#include "tools/describe_settings.h"

namespace {

using namespace gprof::lsp;

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

template <typename T>
inline constexpr bool is_map = false;
template <typename T>
inline constexpr bool is_map<std::map<std::string, T>> = true;

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
  void metric(const char* name, const T&, const char* text = "") {
    add(name, "Metric", is_optional<T>, text);
  }
  template <typename T>
  void or_null(const char* name, const T&, const char* text = "") {
    add(name, types_.text<typename T::value_type::value_type>() + " | null", true, text);
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
    const std::string element = text<typename T::value_type>();
    return element.find(' ') == std::string::npos ? element + "[]" : "(" + element + ")[]";
  } else if constexpr (is_map<T>) {
    return "{[name: string]: " + text<typename T::mapped_type>() + "}";
  } else if constexpr (std::is_same_v<T, ThreadChoice>) {
    return "integer | string";
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
  types.text<SelectionData>();
  types.text<PlaceArgument>();
  types.text<FunctionOfLine>();
  types.text<ShownReport>();
  types.text<RunSummary>();
}

OrderedJson described_tools() {
  OrderedJson list = OrderedJson::array();
  for (const Tool& tool : tools()) {
    list.push_back({{"name", tool.name},
                    {"title", tool.title},
                    {"description", tool.description},
                    {"reads", tool.only_reads()},
                    {"input", OrderedJson::parse(written_text(tool.input()))}});
  }
  return list;
}

}  // namespace

int main() {
  Types types;
  add_all_messages(types);
  const OrderedJson description = {{"types", types.list()},
                                   {"settings", describe_settings<ClientSettings>()},
                                   {"tools", described_tools()}};
  std::puts(description.dump().c_str());
  return 0;
}
