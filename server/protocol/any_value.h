// A value of any shape: what LSP calls LSPAny. It lets commands carry arguments and items carry
// data through code that knows nothing of JSON.
//
// Owns everything in it. Thread contract: as for any value.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "server/protocol/basic_types.h"

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
  // Each answers null where the value is of another type.
  [[nodiscard]] const bool* boolean() const { return std::get_if<bool>(&value_); }
  [[nodiscard]] const std::int64_t* integer() const { return std::get_if<std::int64_t>(&value_); }
  [[nodiscard]] const std::string* string() const { return std::get_if<std::string>(&value_); }
  [[nodiscard]] const Array* array() const { return std::get_if<Array>(&value_); }
  [[nodiscard]] const Object* object() const { return std::get_if<Object>(&value_); }
  // An integer or a floating point number.
  [[nodiscard]] std::optional<double> number() const;
  // The member of an object; null where there is none or the value is no object.
  [[nodiscard]] const AnyValue* find(std::string_view name) const;

  friend bool operator==(const AnyValue&, const AnyValue&) = default;

 private:
  std::variant<std::monostate, bool, std::int64_t, double, std::string, Array, Object> value_;
};

// Protocol structures as values, in the shape that they have on the wire.
[[nodiscard]] AnyValue to_any(const Position& position);
[[nodiscard]] AnyValue to_any(const Range& range);
[[nodiscard]] AnyValue to_any(const Location& location);
[[nodiscard]] AnyValue to_any(const std::vector<Location>& locations);

// The converse; nothing where a member is missing, of another type or out of range.
[[nodiscard]] std::optional<Position> any_position(const AnyValue& value);
[[nodiscard]] std::optional<Range> any_range(const AnyValue& value);
// `{uri, position}`, the argument of the commands that are about a place.
[[nodiscard]] std::optional<TextDocumentPositionParams> any_place(const AnyValue& value);

}  // namespace gprof::lsp
