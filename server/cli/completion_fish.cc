#include "server/cli/completions.h"
#include "server/cli/option_words.h"

namespace gprof::lsp {
namespace {

std::string fish_quoted(std::string_view text) {
  return "'" + replaced(replaced(std::string(text), "\\", "\\\\"), "'", "\\'") + "'";
}

std::string fish_action(ValueKind kind, const std::vector<ValueChoice>& choices) {
  std::vector<std::string> names;
  for (const ValueChoice& choice : choices) names.emplace_back(choice.name);
  if (!names.empty()) return fmt::format(" -a {}", fish_quoted(joined(names, " ")));
  switch (kind) {
    case ValueKind::file:
      return " -F";
    case ValueKind::directory:
      return " -a '(__fish_complete_directories)'";
    case ValueKind::program:
      return " -F -a '(__fish_complete_command)'";
    case ValueKind::command:
      return " -a '(__gprof_lsp_commands)'";
    case ValueKind::text:
      break;
  }
  return "";
}

std::string fish_line(const CommandSyntax& syntax) {
  const std::string name = syntax.name.empty() ? "server" : std::string(syntax.name);
  return fmt::format("complete -c gprof-lsp -n '__gprof_lsp_is {}'", name);
}

std::string fish_option(const CommandSyntax& syntax, const OptionRow& row) {
  std::string text = fish_line(syntax);
  if (row.letter != 0) text += fmt::format(" -s {}", row.letter);
  if (!row.name.empty()) text += fmt::format(" -l {}", row.name);
  if (row.value.use == ValueUse::required)
    text += row.value.kind == ValueKind::file ? " -r" : " -x";
  if (row.value.use != ValueUse::none) text += fish_action(row.value.kind, row.value.choices);
  return text + fmt::format(" -d {}\n", fish_quoted(first_clause(row.help)));
}

constexpr std::string_view fish_script =
    R"(# Completes gprof-lsp in fish; made from its tables of options.

function __gprof_lsp_commands
    printf '%s\t%s\n' @summaries@
end

# Whether the command is this one: "server" if none is named.
function __gprof_lsp_is
    set -l words (commandline -opc)
    set -l command server
    if test (count $words) -gt 1; and contains -- $words[2] @names@
        set command $words[2]
    end
    test $command = $argv[1]
end

complete -c gprof-lsp -f
complete -c gprof-lsp -n 'test (count (commandline -opc)) -eq 1' -a '(__gprof_lsp_commands)'
)";

}  // namespace

std::string fish_completion(const std::vector<CommandSyntax>& commands) {
  std::vector<std::string> names;
  std::vector<std::string> summaries;
  std::string lines;
  for (const CommandSyntax& syntax : commands) {
    if (!syntax.name.empty()) {
      names.emplace_back(syntax.name);
      summaries.push_back(fish_quoted(syntax.name) + " " + fish_quoted(syntax.summary));
    }
    // Only a server that listens takes folders, which would hide the commands.
    const std::string operands = fish_action(syntax.operands, operand_choices(syntax));
    if (!syntax.name.empty() && !operands.empty()) lines += fish_line(syntax) + operands + '\n';
    for_each_option(syntax, [&](const OptionRow& row) { lines += fish_option(syntax, row); });
  }
  std::string text = replaced(std::string(fish_script), "@names@", joined(names, " "));
  return replaced(text, "@summaries@", joined(summaries, " ")) + lines;
}

}  // namespace gprof::lsp
