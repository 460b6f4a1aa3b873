#include "server/protocol/any_value.h"

#include "server/protocol/conversions.h"

namespace gprof::lsp {
namespace {

template <typename T>
std::optional<T> read_any(const AnyValue& value) {
  auto read = from_json<T>(write_json(value), "value");
  if (!read) return std::nullopt;
  return std::move(*read);
}

}  // namespace

std::optional<double> AnyValue::number() const {
  if (const auto* whole = integer()) return static_cast<double>(*whole);
  if (const auto* real = std::get_if<double>(&value_)) return *real;
  return std::nullopt;
}

const AnyValue* AnyValue::find(std::string_view name) const {
  const Object* members = object();
  if (!members) return nullptr;
  for (const auto& [key, value] : *members) {
    if (key == name) return &value;
  }
  return nullptr;
}

AnyValue to_any(const Position& position) {
  return AnyValue::Object{{"line", position.line}, {"character", position.character}};
}

AnyValue to_any(const Range& range) {
  return AnyValue::Object{{"start", to_any(range.start)}, {"end", to_any(range.end)}};
}

AnyValue to_any(const Location& location) {
  return AnyValue::Object{{"uri", location.uri}, {"range", to_any(location.range)}};
}

AnyValue to_any(const std::vector<Location>& locations) {
  AnyValue::Array array;
  for (const Location& location : locations) array.push_back(to_any(location));
  return array;
}

std::optional<Position> any_position(const AnyValue& value) { return read_any<Position>(value); }

std::optional<Range> any_range(const AnyValue& value) { return read_any<Range>(value); }

std::optional<TextDocumentPositionParams> any_place(const AnyValue& value) {
  const AnyValue* uri = value.find("uri");
  const AnyValue* position = value.find("position");
  if (!uri || !uri->string() || !position) return std::nullopt;
  const auto read = any_position(*position);
  if (!read) return std::nullopt;
  return TextDocumentPositionParams{{*uri->string()}, *read};
}

// JSON's depth is bounded by the parser, and so is this recursion.
void read_json(const Json& json, AnyValue& out, ReadContext& context) {
  if (json.is_null()) {
    out = AnyValue();
  } else if (json.is_boolean()) {
    out = AnyValue(json.get<bool>());
  } else if (const auto whole = json.is_number_float() ? std::nullopt : whole_number(json)) {
    out = AnyValue(*whole);
  } else if (json.is_number()) {
    out = AnyValue(json.get<double>());
  } else if (json.is_string()) {
    out = AnyValue(json.get_ref<const std::string&>());
  } else if (json.is_array()) {
    AnyValue::Array array;
    for (const Json& element : json) read_json(element, array.emplace_back(), context);
    out = AnyValue(std::move(array));
  } else {
    AnyValue::Object object;
    for (const auto& [name, value] : json.items()) {
      object.emplace_back(name, AnyValue());
      read_json(value, object.back().second, context);
    }
    out = AnyValue(std::move(object));
  }
}

Json write_json(const AnyValue& value) {
  if (const auto* flag = value.boolean()) return *flag;
  if (const auto* whole = value.integer()) return *whole;
  if (const auto number = value.number()) return *number;
  if (const auto* text = value.string()) return *text;
  if (const auto* array = value.array()) return write_json(*array);
  if (const auto* members = value.object()) {
    Json json = Json::object();
    for (const auto& [name, member_value] : *members) json[name] = write_json(member_value);
    return json;
  }
  return nullptr;
}

}  // namespace gprof::lsp
