#include "server/cli/completions.h"
#include "server/cli/option_words.h"

namespace gprof::lsp {
namespace {

// Escaped for use inside '…'.
std::string zsh_quoted(std::string text) { return replaced(std::move(text), "'", "'\\''"); }

// And inside [...] or before a colon of _arguments.
std::string zsh_escaped(std::string_view text) {
  std::string escaped = replaced(std::string(text), "\\", "\\\\");
  for (const std::string_view mark : {"[", "]", ":"}) {
    escaped = replaced(std::move(escaped), mark, fmt::format("\\{}", mark));
  }
  return zsh_quoted(std::move(escaped));
}

std::string zsh_action(ValueKind kind, const std::vector<ValueChoice>& choices) {
  std::vector<std::string> names;
  for (const ValueChoice& choice : choices) names.emplace_back(choice.name);
  if (!names.empty()) return fmt::format("({})", joined(names, " "));
  switch (kind) {
    case ValueKind::file:
      return "_files";
    case ValueKind::directory:
      return "_files -/";
    case ValueKind::program:
      return "_normal -p gprof-lsp";
    case ValueKind::command:
      return "_gprof_lsp_commands";
    case ValueKind::text:
      break;
  }
  return " ";
}

// '(-o --output)'{-o+,--output=}'[write to FILE]:FILE:_files'
std::string zsh_option(const OptionRow& row) {
  const bool required = row.value.use == ValueUse::required;
  const bool optional = row.value.use == ValueUse::optional;
  std::string letter = row.letter == 0 ? "" : fmt::format("-{}", row.letter);
  std::string name = row.name.empty() ? "" : fmt::format("--{}", row.name);
  // An option may be given again: the last one counts, or all do.
  std::string text = "'*'";
  if (!letter.empty()) letter += required ? "+" : optional ? "-" : "";
  if (!name.empty()) name += required ? "=" : optional ? "=-" : "";
  text += letter.empty() || name.empty() ? letter + name : fmt::format("{{{},{}}}", letter, name);
  text += fmt::format("'[{}]", zsh_escaped(first_clause(row.help)));
  if (row.value.use != ValueUse::none) {
    text += fmt::format("{}:{}:{}", optional ? ":" : "", zsh_escaped(row.value.name),
                        zsh_action(row.value.kind, row.value.choices));
  }
  return text + "'";
}

std::string zsh_arguments(const CommandSyntax& syntax) {
  std::string text = "      _arguments -s -S";
  for_each_option(syntax, [&](const OptionRow& row) {
    text += fmt::format(" \\\n        {}", zsh_option(row));
  });
  const bool leading = syntax.order == WordOrder::leading;
  return text + fmt::format(" \\\n        '*:{}argument:{}' ;;\n", leading ? ":" : "",
                            zsh_action(syntax.operands, operand_choices(syntax)));
}

constexpr std::string_view zsh_script = R"(#compdef gprof-lsp
# Completes gprof-lsp in zsh; made from its tables of options.

_gprof_lsp_commands() {
  local -a commands=(
@commands@  )
  _describe -t commands command commands
}

_gprof_lsp() {
  if ((CURRENT == 2)) && [[ $words[2] != -* ]]; then
    _gprof_lsp_commands
    return
  fi
  case $words[2] in
@cases@  esac
}

_gprof_lsp "$@"
)";

}  // namespace

std::string zsh_completion(const std::vector<CommandSyntax>& commands) {
  std::string names;
  std::string cases;
  for (const CommandSyntax& syntax : commands) {
    if (syntax.name.empty()) continue;
    names += fmt::format("    '{}:{}'\n", syntax.name, zsh_escaped(syntax.summary));
    cases += fmt::format("    {})\n      shift words\n      ((CURRENT--))\n{}", syntax.name,
                         zsh_arguments(syntax));
  }
  cases += fmt::format("    *)\n{}", zsh_arguments(commands.front()));
  return replaced(replaced(std::string(zsh_script), "@commands@", names), "@cases@", cases);
}

}  // namespace gprof::lsp
