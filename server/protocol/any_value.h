// A value of any shape: what LSP calls LSPAny. It lets commands carry arguments and items carry
// data through code that knows nothing of JSON.
//
// Owns everything in it. Thread contract: as for any value.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "engine/support/expected.h"
#include "server/protocol/basic_types.h"
#include "server/protocol/description.h"
#include "server/protocol/enumeration.h"

namespace gprof::lsp {

class AnyValue {
 public:
  using Array = std::vector<AnyValue>;
  // What was read from a message is sorted by name.
  using Object = std::vector<std::pair<std::string, AnyValue>>;

  AnyValue() = default;  // null
  AnyValue(bool value) : value_(value) {}
  AnyValue(std::int64_t value) : value_(value) {}
  AnyValue(int value) : value_(std::int64_t{value}) {}
  AnyValue(std::uint32_t value) : value_(std::int64_t{value}) {}
  AnyValue(double value) : value_(value) {}
  AnyValue(std::string value) : value_(std::move(value)) {}
  AnyValue(std::string_view value) : value_(std::string(value)) {}
  AnyValue(const char* value) : value_(std::string(value)) {}
  AnyValue(Array value) : value_(std::move(value)) {}
  AnyValue(Object value) : value_(std::move(value)) {}

  [[nodiscard]] bool is_null() const { return std::holds_alternative<std::monostate>(value_); }
  // Each returns null if the value is of another type.
  [[nodiscard]] const bool* boolean() const { return std::get_if<bool>(&value_); }
  [[nodiscard]] const std::int64_t* integer() const { return std::get_if<std::int64_t>(&value_); }
  [[nodiscard]] const std::string* string() const { return std::get_if<std::string>(&value_); }
  [[nodiscard]] const Array* array() const { return std::get_if<Array>(&value_); }
  [[nodiscard]] const Object* object() const { return std::get_if<Object>(&value_); }
  // An integer or a floating point number.
  [[nodiscard]] std::optional<double> number() const;
  // A member of an object; null if there is none, or if the value is not an object.
  [[nodiscard]] const AnyValue* find(std::string_view name) const;
  // The same of a member that is a string; null if it is none.
  [[nodiscard]] const std::string* find_text(std::string_view name) const;

  friend bool operator==(const AnyValue&, const AnyValue&) = default;

 private:
  std::variant<std::monostate, bool, std::int64_t, double, std::string, Array, Object> value_;
};

// Protocol structures as values, in the shape that they have on the wire.
template <typename T>
[[nodiscard]] AnyValue to_any(const T& value);

// Visits a description and collects its members.
class AnyObjectMaker {
 public:
  [[nodiscard]] AnyValue take() { return AnyValue(std::move(members_)); }

  template <typename T>
  void operator()(const char* name, const T& member, const char* = "") {
    if constexpr (is_optional<T>) {
      if (member) members_.emplace_back(name, to_any(*member));
    } else {
      members_.emplace_back(name, to_any(member));
    }
  }
  template <typename T>
  void optional(const char* name, const T& member, const char* = "") {
    if constexpr (requires { member.empty(); }) {
      if (member.empty()) return;
    } else {
      if (member == T()) return;
    }
    (*this)(name, member);
  }
  void optional_true(const char* name, const bool& member, const char* = "") {
    if (!member) (*this)(name, member);
  }
  template <typename T>
  void uri(const char* name, const T& member, const char* = "") {
    (*this)(name, member);
  }
  template <typename T>
  void metric(const char* name, const T& member, const char* = "") {
    (*this)(name, member);
  }

 private:
  AnyValue::Object members_;
};

template <typename T>
AnyValue to_any(const T& value) {
  if constexpr (Described<T>) {
    AnyObjectMaker maker;
    T::fields(maker, value);
    return maker.take();
  } else if constexpr (NamedEnum<T>) {
    return AnyValue(name_of(value));
  } else if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
    return AnyValue(static_cast<std::int64_t>(value));
  } else if constexpr (std::is_constructible_v<AnyValue, const T&>) {
    return AnyValue(value);
  } else {
    AnyValue::Array array;
    for (const auto& element : value) array.push_back(to_any(element));
    return AnyValue(std::move(array));
  }
}

// The reverse, for the arguments of commands and tools. The error (invalid_argument) names the
// member that is missing, of the wrong type or out of range; `root` is the name of the whole.
template <typename T>
[[nodiscard]] Expected<T> from_any(const AnyValue& value, std::string_view root = "argument");

// What a message's text holds. Errors: wrong_format where it is no JSON, or too large.
[[nodiscard]] Expected<AnyValue> parse_any(std::string_view text);

}  // namespace gprof::lsp
