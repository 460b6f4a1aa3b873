// Command lines, described once: the parser, --help, the manual pages and the completions of shells
// are made from these tables (server/cli/: option_parser, option_help, manual_page, completions).
//
// A table is made for the struct that it fills: setters refer to its members, so it must outlive
// the table. For the descriptions alone, make one for a struct that is then discarded.
//
// Ownership: names and texts are constants of the program. Thread contract: values, no state.
#pragma once

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "engine/support/expected.h"
#include "server/cli/named_value.h"

namespace gprof::lsp {

enum class ValueUse : std::uint8_t {
  none,
  optional,  // attached alone: -pmain, --graph=main
  required,  // or the next word
};
// How shells complete it.
enum class ValueKind : std::uint8_t { text, file, directory, program, command };

// One of a fixed set.
struct ValueChoice {
  std::string_view name;
  std::string_view help;  // empty: the option's own is enough
};

// Takes the option's value, if there is one. An error's message is what was expected: the parser
// puts the option and the value before it.
using ValueSetter = std::function<Expected<void>(std::optional<std::string_view> value)>;

struct OptionValue {
  ValueUse use = ValueUse::none;
  std::string name = {};  // as help shows it
  ValueKind kind = ValueKind::text;
  std::vector<ValueChoice> choices = {};
  ValueSetter set = {};
};

enum class OptionRole : std::uint8_t { setting, help, version };

struct OptionRow {
  char letter = 0;        // 0: it has none
  std::string_view name;  // empty: it has none
  OptionValue value;
  std::string_view help;          // a phrase, or several separated by semicolons
  std::string_view details = {};  // sentences that follow it in the manual page
  OptionRole role = OptionRole::setting;
  // Its name cannot be shortened, so that it makes no other name's beginning ambiguous.
  bool in_full = false;
};

struct OptionGroup {
  std::string_view title;
  std::vector<OptionRow> rows;
  std::string_view details = {};  // sentences that introduce it in the manual page
};

// The words of a command line that are not options. `parted` of them came before a `--`.
struct Operands {
  std::vector<std::string_view> words;
  std::optional<std::size_t> parted;
};

// Which conventions a command line follows.
enum class WordOrder : std::uint8_t {
  mixed,    // options and operands; a word that begins with -- is never the value of the one before
  leading,  // the same, but the first operand ends the options
  getopt,   // GNU getopt_long's: names may be shortened, and a value may look like an option
  getopt_leading,
};

struct CommandSyntax {
  std::string_view name;     // empty: the server
  std::string_view summary;  // one line
  std::vector<std::string_view> usage;
  std::string_view about;             // what operands mean; lines as --help shows them
  std::vector<ValueChoice> commands;  // those of the server, or the tools of `query`
  std::string_view commands_title = "Commands";
  std::vector<OptionGroup> groups;
  std::string_view closing;  // as `about`, after the options
  ValueKind operands = ValueKind::text;
  WordOrder order = WordOrder::mixed;
  // Takes the operands, and checks what depends on the whole line. Its message is complete.
  std::function<Expected<void>(const Operands&)> finish;
  int usage_status = 2;  // the exit status of a wrong command line
};

// What completes the first operand, where it is one of a fixed set. The server's own are no
// operands.
[[nodiscard]] inline std::vector<ValueChoice> operand_choices(const CommandSyntax& syntax) {
  return syntax.name.empty() ? std::vector<ValueChoice>() : syntax.commands;
}

// Calls `visit` with each row.
template <typename Visit>
void for_each_option(const CommandSyntax& syntax, const Visit& visit) {
  for (const OptionGroup& group : syntax.groups) {
    for (const OptionRow& row : group.rows) visit(row);
  }
}

// -h, --help.
[[nodiscard]] OptionRow help_option();
// --version; its letter differs between commands.
[[nodiscard]] OptionRow version_option(char letter);

// A message without a file.
[[nodiscard]] Error usage_error(std::string message);

// --- Values, each with the member that it sets. ---

// Empty ones are refused.
[[nodiscard]] OptionValue file_value(std::string name, std::string& target);
[[nodiscard]] OptionValue directory_value(std::string name, std::string& target);
[[nodiscard]] OptionValue text_value(ValueUse use, std::string name, ValueSetter set);

template <typename Target>
[[nodiscard]] OptionValue flag(Target& target, std::type_identity_t<Target> value = Target{true}) {
  return text_value(ValueUse::none, "",
                    [&target, value](std::optional<std::string_view>) -> Expected<void> {
                      target = value;
                      return {};
                    });
}

template <typename Number>
[[nodiscard]] std::optional<Number> parse_number(std::string_view text) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

// From `low` to `high`; `expected` says so in the option's own words.
template <typename Number, typename Target>
[[nodiscard]] OptionValue number_value(std::string name, Target& target, Number low, Number high,
                                       std::string expected = {}) {
  if (expected.empty()) expected = fmt::format("a number from {} to {}", low, high);
  return text_value(ValueUse::required, std::move(name),
                    [&target, low, high, expected = std::move(expected)](
                        std::optional<std::string_view> text) -> Expected<void> {
                      const auto number = parse_number<Number>(*text);
                      // So that NaN is in no range.
                      if (!number || !(*number >= low && *number <= high)) {
                        return usage_error("expected " + expected);
                      }
                      target = *number;
                      return {};
                    });
}

[[nodiscard]] Error unknown_choice(const std::vector<ValueChoice>& choices);

// Without a name of its own, it is shown as the names of its values. If left out, it is
// `otherwise`, if given.
template <typename Value, typename Target,
          typename Choices = std::initializer_list<NamedValue<Value>>>
[[nodiscard]] OptionValue choice_value(std::string name, Target& target, const Choices& choices,
                                       std::optional<Value> otherwise = std::nullopt) {
  OptionValue value{otherwise ? ValueUse::optional : ValueUse::required, std::move(name)};
  const std::vector<NamedValue<Value>> known(choices.begin(), choices.end());
  const bool is_nameless = value.name.empty();
  for (const auto& one : known) {
    value.choices.push_back({one.name, one.help});
    if (is_nameless) value.name.append(value.name.empty() ? "" : "|").append(one.name);
  }
  value.set = [&target, known, otherwise,
               names = value.choices](std::optional<std::string_view> text) -> Expected<void> {
    const auto found = std::ranges::find(known, text.value_or(""), &NamedValue<Value>::name);
    if (text && found == known.end()) return unknown_choice(names);
    target = text ? found->value : *otherwise;
    return {};
  };
  return value;
}

}  // namespace gprof::lsp
