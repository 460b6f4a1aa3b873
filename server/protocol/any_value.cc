#include "server/protocol/any_value.h"

#include "server/protocol/conversions.h"

namespace gprof::lsp {

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

template <typename T>
Expected<T> from_any(const AnyValue& value) {
  return read_as<T>(write_json(value), "argument");
}

template Expected<Position> from_any(const AnyValue& value);
template Expected<Range> from_any(const AnyValue& value);
template Expected<CompareArgument> from_any(const AnyValue& value);
template Expected<ExportArgument> from_any(const AnyValue& value);
template Expected<Location> from_any(const AnyValue& value);
template Expected<LoadArgument> from_any(const AnyValue& value);
template Expected<PlaceArgument> from_any(const AnyValue& value);
template Expected<ReportParams> from_any(const AnyValue& value);
template Expected<SelectArgument> from_any(const AnyValue& value);
template Expected<SelectionData> from_any(const AnyValue& value);
template Expected<std::string> from_any(const AnyValue& value);

}  // namespace gprof::lsp
