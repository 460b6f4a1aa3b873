// JSON Schema (2020-12) of structures, made from their descriptions (description.h), and the names
// of their members.
//
// Structures of one direction only: what is read allows no other members, so that a misspelt one is
// an error; what is written may get more. Thread contract: pure functions.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "server/protocol/any_value.h"
#include "server/protocol/description.h"
#include "server/protocol/enumeration.h"

namespace gprof::lsp {

inline constexpr std::string_view json_schema_dialect =
    "https://json-schema.org/draft/2020-12/schema";

enum class SchemaUse : std::uint8_t { read, written };

template <typename T>
[[nodiscard]] AnyValue schema_of(SchemaUse use);

// Visits a description.
class SchemaMaker {
 public:
  explicit SchemaMaker(SchemaUse use) : use_(use) {}

  template <typename T>
  void operator()(const char* name, const T&, const char* text = "") {
    add<T>(name, text, !is_optional<T>);
  }
  template <typename T>
  void optional(const char* name, const T&, const char* text = "") {
    add<T>(name, text, false);
  }
  void optional_true(const char* name, const bool&, const char* text = "") {
    add<bool>(name, text, false);
  }
  template <typename T>
  void metric(const char* name, const T& member, const char* text = "") {
    (*this)(name, member, text);
  }
  void expect(bool, std::string_view) {}

  [[nodiscard]] AnyValue take() {
    AnyValue::Object schema = {{"type", "object"}, {"properties", std::move(properties_)}};
    if (!required_.empty()) schema.emplace_back("required", std::move(required_));
    if (use_ == SchemaUse::read) schema.emplace_back("additionalProperties", false);
    return AnyValue(std::move(schema));
  }

 private:
  template <typename T>
  void add(const char* name, std::string_view text, bool required) {
    AnyValue schema = schema_of<T>(use_);
    if (!text.empty()) {
      AnyValue::Object described = *schema.object();
      described.emplace_back("description", text);
      schema = AnyValue(std::move(described));
    }
    properties_.emplace_back(name, std::move(schema));
    if (required) required_.emplace_back(name);
  }

  SchemaUse use_;
  AnyValue::Object properties_;
  AnyValue::Array required_;
};

namespace schema_parts {

template <typename T>
inline constexpr bool is_list = false;
template <typename T>
inline constexpr bool is_list<std::vector<T>> = true;
template <typename T>
inline constexpr bool is_choice = false;
template <typename... T>
inline constexpr bool is_choice<std::variant<T...>> = true;

[[nodiscard]] inline AnyValue of_type(std::string_view type) {
  return AnyValue(AnyValue::Object{{"type", type}});
}

template <typename... T>
[[nodiscard]] AnyValue of_choice(const std::variant<T...>*, SchemaUse use) {
  return AnyValue(AnyValue::Object{{"anyOf", AnyValue::Array{schema_of<T>(use)...}}});
}

template <NamedEnum T>
[[nodiscard]] AnyValue of_enumeration() {
  AnyValue::Array names;
  for (const auto& [value, name] : wire_names<T>.values) names.emplace_back(name);
  return AnyValue(AnyValue::Object{{"type", "string"}, {"enum", std::move(names)}});
}

}  // namespace schema_parts

template <typename T>
AnyValue schema_of(SchemaUse use) {
  if constexpr (is_optional<T>) {
    return schema_of<typename T::value_type>(use);
  } else if constexpr (schema_parts::is_list<T>) {
    return AnyValue(
        AnyValue::Object{{"type", "array"}, {"items", schema_of<typename T::value_type>(use)}});
  } else if constexpr (schema_parts::is_choice<T>) {
    return schema_parts::of_choice(static_cast<const T*>(nullptr), use);
  } else if constexpr (std::is_same_v<T, AnyValue>) {
    return schema_parts::of_type("object");
  } else if constexpr (Described<T>) {
    SchemaMaker maker(use);
    const T value{};
    T::fields(maker, value);
    return maker.take();
  } else if constexpr (NamedEnum<T>) {
    return schema_parts::of_enumeration<T>();
  } else if constexpr (std::is_same_v<T, bool>) {
    return schema_parts::of_type("boolean");
  } else if constexpr (std::is_integral_v<T>) {
    return schema_parts::of_type("integer");
  } else if constexpr (std::is_floating_point_v<T>) {
    return schema_parts::of_type("number");
  } else {
    static_assert(std::is_same_v<T, std::string>);
    return schema_parts::of_type("string");
  }
}

}  // namespace gprof::lsp
