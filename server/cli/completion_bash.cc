#include "server/cli/completions.h"
#include "server/cli/option_words.h"

namespace gprof::lsp {
namespace {

// What completes a value: its words, or a name that the script knows.
std::string bash_words(ValueKind kind, const std::vector<ValueChoice>& choices) {
  std::vector<std::string> names;
  for (const ValueChoice& choice : choices) names.emplace_back(choice.name);
  if (!names.empty()) return joined(names, " ");
  switch (kind) {
    case ValueKind::file:
      return "@file";
    case ValueKind::directory:
      return "@directory";
    case ValueKind::program:
      return "@program";
    case ValueKind::command:
      return "@command";
    case ValueKind::text:
      break;
  }
  return "";
}

// "'record --output' | 'record --output='": a value that may be left out is attached.
std::string bash_patterns(const CommandSyntax& syntax, const OptionRow& row) {
  std::vector<std::string> patterns;
  const bool required = row.value.use == ValueUse::required;
  if (required && row.letter != 0) {
    patterns.push_back(fmt::format("'{} -{}'", syntax.name, row.letter));
  }
  if (required && !row.name.empty()) {
    patterns.push_back(fmt::format("'{} --{}'", syntax.name, row.name));
  }
  if (!row.name.empty()) patterns.push_back(fmt::format("'{} --{}='", syntax.name, row.name));
  return joined(patterns, " | ");
}

std::string bash_values(const std::vector<CommandSyntax>& commands) {
  std::string text;
  for (const CommandSyntax& syntax : commands) {
    for_each_option(syntax, [&](const OptionRow& row) {
      if (row.value.use == ValueUse::none) return;
      text += fmt::format("    {}) candidates='{}' ;;\n", bash_patterns(syntax, row),
                          bash_words(row.value.kind, row.value.choices));
    });
  }
  return text;
}

std::string bash_options(const std::vector<CommandSyntax>& commands) {
  std::string text;
  for (const CommandSyntax& syntax : commands) {
    std::vector<std::string> names;
    for_each_option(syntax, [&](const OptionRow& row) {
      if (row.letter != 0) names.push_back(fmt::format("-{}", row.letter));
      if (row.name.empty()) return;
      const bool required = row.value.use == ValueUse::required;
      names.push_back(fmt::format("--{}{}", row.name, required ? "=" : ""));
    });
    text += fmt::format("    '{}') options='{}' operands='{}' ;;\n", syntax.name,
                        joined(names, " "), bash_words(syntax.operands, operand_choices(syntax)));
  }
  return text;
}

// What the tables do not give: it knows bash, and no option.
constexpr std::string_view bash_script =
    R"(# Completes gprof-lsp in bash; made from its tables of options.

# Sets `candidates` for the value of an option, "COMMAND OPTION", with = where one is attached.
# Fails if there is none.
_gprof_lsp_value() {
  case $1 in
@values@    *) return 1 ;;
  esac
}

_gprof_lsp_words() {
  case $1 in
    @file) compgen -f -- "$2" ;;
    @directory) compgen -d -- "$2" ;;
    @program) compgen -c -f -- "$2" ;;
    @command) compgen -W '@commands@' -- "$2" ;;
    *) compgen -W "$1" -- "$2" ;;
  esac
}

_gprof_lsp() {
  local word=${COMP_WORDS[COMP_CWORD]} last=${COMP_WORDS[COMP_CWORD - 1]}
  local command= option= prefix= candidates= options= operands= only_operands= i
  COMPREPLY=()
  if ((COMP_CWORD > 1)); then
    case ${COMP_WORDS[1]} in
      @alternatives@) command=${COMP_WORDS[1]} ;;
    esac
  fi
  for ((i = 2; i < COMP_CWORD; ++i)); do
    case ${COMP_WORDS[i]} in
      --) only_operands=1 ;;
      -* | =) ;;
      *)
        # After the program, options are not ours.
        [[ $command == @leading@ && ${COMP_WORDS[i - 1]} != = ]] &&
          ! _gprof_lsp_value "$command ${COMP_WORDS[i - 1]}" && only_operands=1
        ;;
    esac
  done
  case $command in
@options@  esac
  # Where = parts words, --name=value is three of them.
  if [[ $word == = ]]; then
    option=$last= word=
  elif [[ $last == = ]]; then
    option=${COMP_WORDS[COMP_CWORD - 2]}=
  elif [[ $word == --*=* ]]; then
    option=${word%%=*}= prefix=${word%%=*}= word=${word#*=}
  else
    option=$last
  fi
  candidates=
  if [[ ! $only_operands ]] && _gprof_lsp_value "$command $option"; then
    :
  elif [[ ! $only_operands && $word == -* ]]; then
    candidates=$options
  elif ((COMP_CWORD == 1)); then
    candidates=@command
  else
    candidates=$operands
  fi
  [[ $candidates ]] || return 0
  local IFS=$'\n'
  case $candidates in
    @file | @directory | @program) compopt -o filenames 2>/dev/null ;;
  esac
  COMPREPLY=($(IFS=$' \t\n' && _gprof_lsp_words "$candidates" "$word"))
  COMPREPLY=("${COMPREPLY[@]/#/$prefix}")
  if ((${#COMPREPLY[@]} == 1)) && [[ ${COMPREPLY[0]} == *= ]]; then compopt -o nospace 2>/dev/null; fi
}

complete -F _gprof_lsp gprof-lsp
)";

}  // namespace

std::string bash_completion(const std::vector<CommandSyntax>& commands) {
  std::vector<std::string> names;
  std::vector<std::string> leading;
  for (const CommandSyntax& syntax : commands) {
    if (!syntax.name.empty()) names.emplace_back(syntax.name);
    if (syntax.order == WordOrder::leading) leading.emplace_back(syntax.name);
  }
  std::string text(bash_script);
  text = replaced(text, "@values@", bash_values(commands));
  text = replaced(text, "@options@", bash_options(commands));
  text = replaced(text, "@commands@", joined(names, " "));
  text = replaced(text, "@alternatives@", joined(names, " | "));
  return replaced(text, "@leading@", fmt::format("@({})", joined(leading, "|")));
}

}  // namespace gprof::lsp
