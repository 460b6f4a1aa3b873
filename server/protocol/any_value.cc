#include "server/protocol/any_value.h"

#include "server/protocol/conversions.h"
#include "server/protocol/run_summary.h"
#include "server/protocol/tool_arguments.h"

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

const std::string* AnyValue::find_text(std::string_view name) const {
  const AnyValue* member = find(name);
  return member == nullptr ? nullptr : member->string();
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
Expected<T> from_any(const AnyValue& value, std::string_view root) {
  return read_as<T>(write_json(value), root);
}

template Expected<Position> from_any(const AnyValue& value, std::string_view root);
template Expected<Range> from_any(const AnyValue& value, std::string_view root);
template Expected<CompareArgument> from_any(const AnyValue& value, std::string_view root);
template Expected<ExportArgument> from_any(const AnyValue& value, std::string_view root);
template Expected<Location> from_any(const AnyValue& value, std::string_view root);
template Expected<LoadArgument> from_any(const AnyValue& value, std::string_view root);
template Expected<PlaceArgument> from_any(const AnyValue& value, std::string_view root);
template Expected<ReportParams> from_any(const AnyValue& value, std::string_view root);
template Expected<SelectArgument> from_any(const AnyValue& value, std::string_view root);
template Expected<SelectionData> from_any(const AnyValue& value, std::string_view root);
template Expected<std::string> from_any(const AnyValue& value, std::string_view root);
template Expected<CallPathArguments> from_any(const AnyValue& value, std::string_view root);
template Expected<CompareArguments> from_any(const AnyValue& value, std::string_view root);
template Expected<FunctionArguments> from_any(const AnyValue& value, std::string_view root);
template Expected<HotSpotsArguments> from_any(const AnyValue& value, std::string_view root);
template Expected<LinesArguments> from_any(const AnyValue& value, std::string_view root);
template Expected<ProgramsArguments> from_any(const AnyValue& value, std::string_view root);
template Expected<RecordArguments> from_any(const AnyValue& value, std::string_view root);
template Expected<RunSummary> from_any(const AnyValue& value, std::string_view root);
template Expected<TimelineArguments> from_any(const AnyValue& value, std::string_view root);

Expected<AnyValue> parse_any(std::string_view text) {
  TRY_ASSIGN(const Json json, parse_json(text));
  AnyValue value;
  ReadContext context;
  read_json(json, value, context);
  return value;
}

}  // namespace gprof::lsp
