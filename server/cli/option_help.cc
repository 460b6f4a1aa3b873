#include "server/cli/option_help.h"

#include <algorithm>

namespace gprof::lsp {
namespace {

constexpr std::size_t help_column = 29;
constexpr std::size_t line_width = 80;

// "-p, --flat-profile[=SYMSPEC]": the value is shown once.
std::string help_spelling(const OptionRow& row) {
  std::string text = row.letter == 0 ? "    " : fmt::format("-{}", row.letter);
  if (!row.name.empty()) text += fmt::format("{}--{}", row.letter == 0 ? "" : ", ", row.name);
  const bool optional = row.value.use == ValueUse::optional;
  if (row.value.use == ValueUse::none) return text;
  return text + fmt::format("{}{}{}{}", optional ? "[" : "", row.name.empty() ? " " : "=",
                            row.value.name, optional ? "]" : "");
}

std::string option_help(const OptionRow& row) {
  std::string text = help_line(help_spelling(row), row.help);
  for (const ValueChoice& choice : row.value.choices) {
    if (choice.help.empty()) continue;
    text += help_line(fmt::format("    --{}={}", row.name, choice.name), choice.help);
  }
  return text;
}

}  // namespace

std::string help_line(std::string_view name, std::string_view help) {
  std::string text = fmt::format("  {}", name);
  if (text.size() + 2 > help_column) text += '\n';
  std::size_t column = text.ends_with('\n') ? 0 : text.size();
  while (!help.empty()) {
    const std::string_view word = help.substr(0, help.find(' '));
    help.remove_prefix(std::min(word.size() + 1, help.size()));
    if (column > help_column && column + 1 + word.size() > line_width) {
      text += '\n';
      column = 0;
    }
    const std::size_t gap = column < help_column ? help_column - column : 1;
    text.append(gap, ' ').append(word);
    column += gap + word.size();
  }
  return text + '\n';
}

std::string help_text(const CommandSyntax& syntax) {
  std::string text;
  for (const std::string_view usage : syntax.usage) {
    text +=
        fmt::format("{} gprof-lsp{}{}{}{}\n", text.empty() ? "Usage:" : "      ",
                    syntax.name.empty() ? "" : " ", syntax.name, usage.empty() ? "" : " ", usage);
  }
  text += fmt::format("\n{}.\n", syntax.summary);
  if (!syntax.about.empty()) text += fmt::format("\n{}\n", syntax.about);
  if (!syntax.commands.empty()) text += fmt::format("\n{}:\n", syntax.commands_title);
  for (const ValueChoice& command : syntax.commands) {
    text += help_line(command.name, command.help);
  }
  for (const OptionGroup& group : syntax.groups) {
    text += fmt::format("\n{}:\n", group.title);
    for (const OptionRow& row : group.rows) text += option_help(row);
  }
  if (!syntax.closing.empty()) text += fmt::format("\n{}\n", syntax.closing);
  return text;
}

}  // namespace gprof::lsp
