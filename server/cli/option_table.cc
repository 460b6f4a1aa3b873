#include "server/cli/option_table.h"

namespace gprof::lsp {
namespace {

OptionValue path_value(std::string name, ValueKind kind, std::string& target) {
  return {ValueUse::required, std::move(name), kind, {}, [&target](auto text) -> Expected<void> {
            target = *text;
            return {};
          }};
}

std::string names_of(const std::vector<ValueChoice>& choices) {
  std::string names;
  for (const ValueChoice& choice : choices) {
    const bool last = &choice == &choices.back();
    names += fmt::format("{}{}", names.empty() ? "" : last ? " or " : ", ", choice.name);
  }
  return names;
}

}  // namespace

Error usage_error(std::string message) {
  return {ErrorCode::invalid_argument, std::move(message), "", std::nullopt};
}

OptionRow help_option() { return {'h', "help", {}, "print this text", "", OptionRole::help}; }

OptionRow version_option(char letter) {
  return {letter, "version", {}, "print the version", "", OptionRole::version};
}

OptionValue file_value(std::string name, std::string& target) {
  return path_value(std::move(name), ValueKind::file, target);
}

OptionValue directory_value(std::string name, std::string& target) {
  return path_value(std::move(name), ValueKind::directory, target);
}

OptionValue text_value(ValueUse use, std::string name, ValueSetter set) {
  return {use, std::move(name), ValueKind::text, {}, std::move(set)};
}

Error unknown_choice(const std::vector<ValueChoice>& choices) {
  return usage_error("expected " + names_of(choices));
}

}  // namespace gprof::lsp
