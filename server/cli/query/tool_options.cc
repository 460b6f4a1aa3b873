#include "server/cli/query/tool_options.h"

#include <algorithm>

namespace gprof::lsp {
namespace {

std::string spelled_option(std::string name) {
  std::ranges::replace(name, '_', '-');
  return name;
}

std::string in_capitals(std::string name) {
  std::ranges::transform(name, name.begin(), [](char letter) {
    return letter >= 'a' && letter <= 'z' ? static_cast<char>(letter - 'a' + 'A') : letter;
  });
  return spelled_option(std::move(name));
}

std::string_view text_member(const AnyValue& schema, std::string_view name) {
  const AnyValue* member = schema.find(name);
  return member != nullptr && member->string() != nullptr ? std::string_view(*member->string())
                                                          : std::string_view();
}

// A number, or what is none as a text; as the schema of the tool has it.
std::optional<AnyValue> value_of_word(std::string_view word, std::string_view type) {
  if (type == "string") return AnyValue(word);
  const auto whole = parse_number<std::int64_t>(word);
  if (whole) return AnyValue(*whole);
  if (type.empty()) return AnyValue(word);
  const auto number = type == "number" ? parse_number<double>(word) : std::nullopt;
  return number ? std::optional(AnyValue(*number)) : std::nullopt;
}

std::string_view expected_of(std::string_view type) {
  return type == "integer" ? "expected a whole number" : "expected a number";
}

}  // namespace

ToolOptions::ToolOptions(const Tool& tool) : schema_(tool.input()) {
  const AnyValue* required = schema_.find("required");
  if (required == nullptr || required->array() == nullptr || required->array()->empty()) return;
  operand_ = *required->array()->front().string();
  const AnyValue* described = schema_.find("properties")->find(operand_);
  takes_many_ = text_member(*described, "type") == "array";
  operand_usage_ = in_capitals(operand_) + (takes_many_ ? "..." : "");
}

std::string_view ToolOptions::kept(std::string text) {
  return texts_.emplace_back(std::move(text));
}

void ToolOptions::give(const std::string& name, AnyValue value) {
  const auto known =
      std::ranges::find(given_, name, [](const auto& member) { return member.first; });
  if (known == given_.end()) {
    given_.emplace_back(name, std::move(value));
  } else {
    known->second = std::move(value);
  }
}

void ToolOptions::add(const std::string& name, AnyValue element) {
  const AnyValue given(given_);
  const AnyValue* list = given.find(name);
  AnyValue::Array elements = list == nullptr ? AnyValue::Array() : *list->array();
  elements.push_back(std::move(element));
  give(name, AnyValue(std::move(elements)));
}

OptionValue ToolOptions::value_of(const std::string& name, const AnyValue& schema) {
  const std::string type(text_member(schema, "type"));
  if (type == "boolean") {
    return text_value(ValueUse::none, "",
                      [this, name](std::optional<std::string_view>) -> Expected<void> {
                        give(name, AnyValue(true));
                        return {};
                      });
  }
  const bool is_list = type == "array";
  const AnyValue* items = is_list ? schema.find("items") : nullptr;
  const std::string item_type(items == nullptr ? type : text_member(*items, "type"));
  OptionValue value = text_value(
      ValueUse::required, in_capitals(name),
      [this, name, is_list, item_type](std::optional<std::string_view> word) -> Expected<void> {
        auto read = value_of_word(*word, item_type);
        if (!read) return usage_error(std::string(expected_of(item_type)));
        is_list ? add(name, std::move(*read)) : give(name, std::move(*read));
        return {};
      });
  const AnyValue* choices = schema.find("enum");
  if (choices == nullptr) return value;
  for (const AnyValue& choice : *choices->array()) {
    value.choices.push_back({kept(*choice.string()), ""});
  }
  value.set = [this, name,
               choices = value.choices](std::optional<std::string_view> word) -> Expected<void> {
    if (std::ranges::find(choices, *word, &ValueChoice::name) == choices.end()) {
      return unknown_choice(choices);
    }
    give(name, AnyValue(*word));
    return {};
  };
  return value;
}

OptionRow ToolOptions::row_of(const std::string& name, const AnyValue& schema) {
  const bool is_list = text_member(schema, "type") == "array";
  return {
      0, kept(spelled_option(name)), value_of(name, schema),
      kept(std::string(text_member(schema, "description")) + (is_list ? "; may be repeated" : ""))};
}

std::vector<OptionRow> ToolOptions::rows() {
  std::vector<OptionRow> rows;
  for (const auto& [name, schema] : *schema_.find("properties")->object()) {
    rows.push_back(row_of(name, schema));
  }
  return rows;
}

Expected<void> ToolOptions::take_operands(std::span<const std::string_view> words) {
  const AnyValue given(given_);
  const bool is_given = !operand_.empty() && given.find(operand_) != nullptr;
  const bool may_take = !operand_.empty() && (takes_many_ || (!is_given && words.size() <= 1));
  if (!words.empty() && !may_take) {
    return usage_error(fmt::format("{}: unexpected; expected {}", words.back(),
                                   operand_.empty() ? "options" : "one " + operand_usage_));
  }
  for (const std::string_view word : words) {
    takes_many_ ? add(operand_, AnyValue(word)) : give(operand_, AnyValue(word));
  }
  if (!operand_.empty() && words.empty() && !is_given) {
    return usage_error(fmt::format("{} is missing", operand_usage_));
  }
  return {};
}

}  // namespace gprof::lsp
