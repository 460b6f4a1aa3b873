#include "server/cli/manual_page.h"

#include <algorithm>
#include <cctype>

#include "server/cli/option_words.h"

namespace gprof::lsp {
namespace {

bool is_word_letter(char letter) {
  return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_';
}
bool is_upper(char letter) { return letter >= 'A' && letter <= 'Z'; }

std::string roff_escaped(std::string_view text) {
  return replaced(replaced(std::string(text), "\\", "\\e"), "-", "\\-");
}
std::string bold(std::string_view text) { return "\\fB" + roff_escaped(text) + "\\fR"; }
std::string italic(std::string_view text) { return "\\fI" + roff_escaped(text) + "\\fR"; }

bool has_word(std::string_view text, std::string_view word) {
  for (std::size_t at = text.find(word); at != std::string_view::npos;
       at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    const bool begins = at == 0 || !is_word_letter(text[at - 1]);
    if (begins && (end == text.size() || !is_word_letter(text[end]))) return true;
  }
  return false;
}

// Names of values, which are in capitals, are set in italics, options in bold. `names` holds those
// names: other words in capitals are abbreviations.
std::string marked_up(std::string_view text, std::string_view names) {
  std::string roff;
  for (std::size_t at = 0; at < text.size();) {
    const bool begins = at == 0 || (!is_word_letter(text[at - 1]) && text[at - 1] != '-');
    const bool is_option = begins && text[at] == '-' && at + 1 < text.size() && text[at + 1] != ' ';
    std::size_t end = at;
    while (end < text.size() &&
           (is_option ? is_word_letter(text[end]) || text[end] == '-' : is_upper(text[end]))) {
      ++end;
    }
    const std::string_view word = text.substr(at, end - at);
    const bool is_whole = end == text.size() || !is_word_letter(text[end]);
    if (is_option) {
      roff += bold(word);
    } else if (begins && is_whole && !word.empty() && has_word(names, word)) {
      roff += italic(word);
    } else {
      end = std::max(end, at + 1);
      roff += roff_escaped(text.substr(at, end - at));
    }
    at = end;
  }
  return roff;
}

// "\fB\-o\fR \fIFILE\fR, \fB\-\-output\fR=\fIFILE\fR"
std::string manual_spelling(const OptionRow& row) {
  const bool optional = row.value.use == ValueUse::optional;
  std::string value = row.value.choices.empty() || row.value.name.find('|') == std::string::npos
                          ? marked_up(row.value.name, row.value.name)
                          : replaced(bold(row.value.name), "|", "\\fR|\\fB");
  const auto with_value = [&](std::string_view between) {
    if (row.value.use == ValueUse::none) return std::string();
    return optional ? fmt::format("[{}{}]", between == " " ? "" : between, value)
                    : fmt::format("{}{}", between, value);
  };
  std::string text;
  if (row.letter != 0) text = bold(fmt::format("-{}", row.letter)) + with_value(" ");
  if (row.name.empty()) return text;
  return text + (text.empty() ? "" : ", ") + bold(fmt::format("--{}", row.name)) + with_value("=");
}

std::string sentence(std::string_view phrase) {
  std::string text(phrase);
  if (text.size() > 1 && !is_upper(text[1])) {
    text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
  }
  return text + '.';
}

std::string manual_option(const OptionRow& row) {
  std::string body = sentence(row.help);
  if (!row.details.empty()) body.append(" ").append(row.details);
  std::string text =
      fmt::format(".TP\n{}\n{}\n", manual_spelling(row), marked_up(body, row.value.name));
  const bool explains = !row.value.choices.empty() && !row.value.choices.front().help.empty();
  if (!explains) return text;
  text += ".RS\n";
  for (const ValueChoice& choice : row.value.choices) {
    text += fmt::format(".TP\n{}\n{}\n", bold(choice.name),
                        marked_up(sentence(choice.help), row.value.name));
  }
  return text + ".RE\n";
}

}  // namespace

std::string manual_synopsis(const CommandSyntax& syntax) {
  std::string text;
  const std::string words =
      syntax.name.empty() ? "gprof-lsp" : fmt::format("gprof-lsp {}", syntax.name);
  for (const std::string_view usage : syntax.usage) {
    text +=
        fmt::format("{}{} {}\n", text.empty() ? "" : ".br\n", bold(words), marked_up(usage, usage));
  }
  return text;
}

std::string manual_options(const CommandSyntax& syntax) {
  std::string text;
  for (const OptionGroup& group : syntax.groups) {
    if (syntax.groups.size() > 1) text += fmt::format(".SS {}\n", roff_escaped(group.title));
    if (!group.details.empty()) text += marked_up(group.details, "") + '\n';
    for (const OptionRow& row : group.rows) text += manual_option(row);
  }
  return text;
}

std::string manual_choices(const std::vector<ValueChoice>& choices) {
  std::string text;
  for (const ValueChoice& choice : choices) {
    text += fmt::format(".TP\n{}\n{}.\n", bold(choice.name), roff_escaped(choice.help));
  }
  return text;
}

std::string manual_commands(const std::vector<CommandSyntax>& commands) {
  std::string text;
  for (const CommandSyntax& command : commands) {
    if (command.name.empty()) continue;
    text += fmt::format(".TP\n{}\n{}.\n", bold(command.name), roff_escaped(command.summary));
  }
  return text;
}

Expected<std::string> filled_manual_page(std::string_view page,
                                         const std::vector<CommandSyntax>& commands) {
  std::string text;
  while (!page.empty()) {
    const std::string_view line = page.substr(0, page.find('\n'));
    page.remove_prefix(std::min(line.size() + 1, page.size()));
    if (!line.starts_with('@')) {
      text.append(line).append("\n");
      continue;
    }
    const std::size_t blank = std::min(line.find(' '), line.size() - 1);
    const std::string_view part = line.substr(0, blank);
    std::string_view name = line.substr(blank + 1);
    if (name.ends_with('@')) name.remove_suffix(1);
    const auto syntax = std::ranges::find(commands, name, &CommandSyntax::name);
    if (part == "@commands" && syntax != commands.end() && !syntax->name.empty()) {
      text += manual_choices(syntax->commands);
    } else if (part == "@commands") {
      text += manual_commands(commands);
    } else if (part == "@synopsis" && syntax != commands.end()) {
      text += manual_synopsis(*syntax);
    } else if (part == "@options" && syntax != commands.end()) {
      text += manual_options(*syntax);
    } else {
      return usage_error(fmt::format(
          "{}: expected @synopsis NAME@, @options NAME@, @commands NAME@ or @commands@, with a "
          "command's name",
          line));
    }
  }
  return text;
}

}  // namespace gprof::lsp
